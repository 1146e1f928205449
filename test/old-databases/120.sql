-- The key 'free': key_NdulQSeb997n9LKP3VFqzcl2I2ZGVnPi41FL6f
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE provider (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  base_url TEXT NOT NULL,
  has_secret INTEGER NOT NULL CHECK (has_secret IN (0, 1)),
  output_cap_field TEXT NOT NULL CHECK (output_cap_field IN ('max_tokens', 'max_completion_tokens')),
  created_at_ms INTEGER NOT NULL
, quirks TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(quirks)), on_disconnect TEXT NOT NULL DEFAULT 'cancel' CHECK (on_disconnect IN ('cancel', 'drain')), preset TEXT, network TEXT NOT NULL DEFAULT 'public' CHECK (network IN ('public', 'local')), secret_header TEXT, limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits)), time_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(time_limits))) STRICT;
INSERT INTO provider VALUES('01a205b2-301c-7000-b74f-4b7701119f91','demo','demo','',0,'max_tokens',1795391893533,'{}','cancel',NULL,'public',NULL,'{}','{}');
INSERT INTO provider VALUES('01a205b2-3225-7000-be12-b9ea9ea9ddbb','fake','chat-completions','http://127.0.0.1:44305/v1',1,'max_tokens',1795391894053,'{}','cancel',NULL,'local',NULL,'{}','{}');
CREATE TABLE model (
  id TEXT NOT NULL PRIMARY KEY,
  display_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'embedding')),
  context_window INTEGER NOT NULL CHECK (context_window > 0),
  max_output_tokens INTEGER NOT NULL CHECK (max_output_tokens >= 0),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- Which of its prices counts; NULL where nobody has priced it.
  price_version INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO model VALUES('demo-chat','Demo chat (offline)','chat',32768,4096,1,1,1795391893534);
INSERT INTO model VALUES('demo-embedding','Demo embedding (offline)','embedding',8192,0,1,1,1795391893539);
INSERT INTO model VALUES('model-for-tests','model-for-tests','chat',8000,100,1,2,1795391894053);
CREATE TABLE target (
  model_id TEXT NOT NULL REFERENCES model (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL REFERENCES provider (id),
  upstream_model TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority >= 0),
  weight INTEGER NOT NULL CHECK (weight > 0),
  PRIMARY KEY (model_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO target VALUES('demo-chat',0,'01a205b2-301c-7000-b74f-4b7701119f91','demo-chat',0,1);
INSERT INTO target VALUES('demo-embedding',0,'01a205b2-301c-7000-b74f-4b7701119f91','demo-embedding',0,1);
INSERT INTO target VALUES('model-for-tests',0,'01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,1);
CREATE TABLE price (
  model_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  input_micro INTEGER NOT NULL CHECK (input_micro >= 0),
  output_micro INTEGER NOT NULL CHECK (output_micro >= 0),
  cache_read_micro INTEGER NOT NULL CHECK (cache_read_micro >= 0),
  cache_write_micro INTEGER NOT NULL CHECK (cache_write_micro >= 0),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (model_id, version)
) STRICT, WITHOUT ROWID;
INSERT INTO price VALUES('demo-chat',1,100000000,400000000,100000000,100000000,1795391893540);
INSERT INTO price VALUES('demo-embedding',1,50000000,0,50000000,50000000,1795391893540);
INSERT INTO price VALUES('model-for-tests',1,1000000,2000000,1000000,1000000,1795391894055);
INSERT INTO price VALUES('model-for-tests',2,3000000,4000000,3000000,3000000,1795391896351);
CREATE TABLE package (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('monthly', 'daily', 'topup', 'unlimited')),
  credits_micro INTEGER NOT NULL CHECK (credits_micro >= 0),
  time_zone TEXT NOT NULL,
  requests_per_minute INTEGER CHECK (requests_per_minute > 0),
  tokens_per_minute INTEGER CHECK (tokens_per_minute > 0),
  concurrent_requests INTEGER CHECK (concurrent_requests > 0),
  models TEXT NOT NULL CHECK (json_valid(models)),
  valid_until_ms INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO package VALUES('01a205b2-3023-7000-89f6-10200a88ae9e','starter','topup',10000000,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391893539);
INSERT INTO package VALUES('01a205b2-3225-7001-a582-a60d406df0d6','month','monthly',100000000,'UTC',NULL,NULL,NULL,'["model-for-tests"]',NULL,1795391894054);
INSERT INTO package VALUES('01a205b2-3226-7000-a644-aeb174110e4d','day','daily',10000000,'Europe/Berlin',60,NULL,NULL,'"all"',NULL,1795391894054);
INSERT INTO package VALUES('01a205b2-3226-7001-b589-c9ff27b315c3','bought','topup',1000000,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391894054);
INSERT INTO package VALUES('01a205b2-3226-7002-bc47-fe6eecc1dd3c','free','unlimited',0,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391894054);
CREATE TABLE key (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  owner TEXT,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 43),
  hint TEXT NOT NULL,
  package_id TEXT NOT NULL REFERENCES package (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
  expires_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL
, member_id TEXT REFERENCES member (id) ON DELETE SET NULL, suspended_by TEXT CHECK (suspended_by IN ('administrator', 'member')), value_since_ms INTEGER, previous_hash TEXT CHECK (length(previous_hash) = 43), previous_until_ms INTEGER
  CHECK ((previous_hash IS NULL) = (previous_until_ms IS NULL))) STRICT;
INSERT INTO "key" VALUES('01a205b2-3035-7000-a8ed-30e78addbd78','first',NULL,'YdhsWYz6mZXG57R2gxNP7j9A96xGDzoeMppaDWZSoTE','0vJo','01a205b2-3023-7000-89f6-10200a88ae9e','active',1803167893556,1795391893556,NULL,NULL,1795391893556,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-388f-7000-a520-48022004caf7','month',NULL,'ZBuIEDCCD1M6Nh3N5ZUf92osX9cLaOhhAmy0HmVnxg0','Pp3H','01a205b2-3225-7001-a582-a60d406df0d6','active',NULL,1795391895695,NULL,NULL,1795391895695,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-3977-7000-89c5-1586ce750fc3','day',NULL,'XTzHlzdfKHpurVn8XlXR0MvFAJDDAS6l4Vf8tXrrGPs','8vJI','01a205b2-3225-7001-a582-a60d406df0d6','active',NULL,1795391895927,NULL,NULL,1795391895927,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-39e6-7000-8d60-9840dde3df02','bought',NULL,'T1OaGUHrqinrOVHcjP9t_-TlMVCjZ-x-XI1Oc0uysNI','EyGt','01a205b2-3226-7001-b589-c9ff27b315c3','active',NULL,1795391896037,NULL,NULL,1795391896037,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-3a2c-7000-b2a0-7307e8311252','free',NULL,'Fai-8w0e3M-I-v7IjNvHSVnQ4PXJwrecL5pD6BDDtw4','FL6f','01a205b2-3226-7002-bc47-fe6eecc1dd3c','active',NULL,1795391896107,NULL,NULL,1795391896136,'lGHX8wSQFPtnPuXOKuGxEP12azoKryIb1OfuPhIDksI',1795478296136);
INSERT INTO "key" VALUES('01a205b2-3bcc-7000-89a3-bdfd8576f1a1','dear',NULL,'pGtYQRxhAVY69oqB6RKwJbUrkkrMeoQsl5FUoHStQ9I','RZ6h','01a205b2-3226-7001-b589-c9ff27b315c3','revoked',NULL,1795391896524,NULL,NULL,1795391896524,NULL,NULL);
CREATE TABLE ledger_entry (
  seq INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES key (id),
  kind TEXT NOT NULL,
  -- What the entry adds to the key's available credits; the sum over a key is what it has available.
  amount_micro INTEGER NOT NULL,
  -- What the call cost, on the entries that resolve a hold.
  charge_micro INTEGER CHECK (charge_micro >= 0),
  exchange_id TEXT,
  cycle_started_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  model_id TEXT,
  price_version INTEGER,
  reason TEXT,
  idempotency_id TEXT,
  CHECK (CASE kind
    WHEN 'hold' THEN amount_micro <= 0 AND charge_micro IS NULL AND exchange_id IS NOT NULL
    WHEN 'settle' THEN charge_micro IS NOT NULL AND exchange_id IS NOT NULL
    WHEN 'release' THEN amount_micro >= 0 AND charge_micro IS 0 AND exchange_id IS NOT NULL
    WHEN 'grant' THEN amount_micro >= 0 AND charge_micro IS NULL AND exchange_id IS NULL
    WHEN 'lapse' THEN charge_micro IS NULL
    WHEN 'adjustment' THEN charge_micro IS NULL AND exchange_id IS NULL AND reason IS NOT NULL
    ELSE 0 END)
) STRICT;
INSERT INTO ledger_entry VALUES(1,'01a205b2-3035-7000-a8ed-30e78addbd78','grant',10000000,NULL,NULL,1795391893557,1795391893557,NULL,NULL,NULL,'cycle:1795391893557');
INSERT INTO ledger_entry VALUES(2,'01a205b2-388f-7000-a520-48022004caf7','grant',100000000,NULL,NULL,1793491200000,1795391895695,NULL,NULL,NULL,'cycle:1793491200000');
INSERT INTO ledger_entry VALUES(3,'01a205b2-388f-7000-a520-48022004caf7','hold',-224,NULL,'01a205b2-38a4-7000-8821-8ca63036df5a',1793491200000,1795391895720,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(4,'01a205b2-388f-7000-a520-48022004caf7','settle',185,39,'01a205b2-38a4-7000-8821-8ca63036df5a',1793491200000,1795391895834,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(5,'01a205b2-388f-7000-a520-48022004caf7','hold',-229,NULL,'01a205b2-3931-7000-b275-94501183e9c2',1793491200000,1795391895858,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(6,'01a205b2-388f-7000-a520-48022004caf7','settle',190,39,'01a205b2-3931-7000-b275-94501183e9c2',1793491200000,1795391895901,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(7,'01a205b2-388f-7000-a520-48022004caf7','hold',-39,NULL,'01a205b2-3965-7000-9694-bcda31eb77a7',1793491200000,1795391895910,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(8,'01a205b2-388f-7000-a520-48022004caf7','settle',0,39,'01a205b2-3965-7000-9694-bcda31eb77a7',1793491200000,1795391895916,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(9,'01a205b2-3977-7000-89c5-1586ce750fc3','grant',10000000,NULL,NULL,1795388400000,1795391895927,NULL,NULL,NULL,'cycle:1795388400000');
INSERT INTO ledger_entry VALUES(10,'01a205b2-3977-7000-89c5-1586ce750fc3','hold',-224,NULL,'01a205b2-3980-7000-9fa4-3a227233d251',1795388400000,1795391895940,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(11,'01a205b2-3977-7000-89c5-1586ce750fc3','settle',185,39,'01a205b2-3980-7000-9fa4-3a227233d251',1795388400000,1795391895942,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(12,'01a205b2-3977-7000-89c5-1586ce750fc3','hold',-229,NULL,'01a205b2-398e-7000-8e40-0d1a479c844c',1795388400000,1795391895955,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(13,'01a205b2-3977-7000-89c5-1586ce750fc3','settle',190,39,'01a205b2-398e-7000-8e40-0d1a479c844c',1795388400000,1795391895959,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(14,'01a205b2-3977-7000-89c5-1586ce750fc3','hold',-39,NULL,'01a205b2-39a3-7000-8406-040c428fac8c',1795388400000,1795391895972,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(15,'01a205b2-3977-7000-89c5-1586ce750fc3','settle',0,39,'01a205b2-39a3-7000-8406-040c428fac8c',1795388400000,1795391895978,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(16,'01a205b2-3977-7000-89c5-1586ce750fc3','lapse',-9999883,NULL,NULL,1795388400000,1795391896006,NULL,NULL,'moved to package ''month''','lapse:1795388400000');
INSERT INTO ledger_entry VALUES(17,'01a205b2-3977-7000-89c5-1586ce750fc3','grant',100000000,NULL,NULL,1795391896006,1795391896006,NULL,NULL,'moved to package ''month''','cycle:1795391896006');
INSERT INTO ledger_entry VALUES(18,'01a205b2-39e6-7000-8d60-9840dde3df02','grant',1000000,NULL,NULL,1795391896038,1795391896038,NULL,NULL,NULL,'cycle:1795391896038');
INSERT INTO ledger_entry VALUES(19,'01a205b2-39e6-7000-8d60-9840dde3df02','adjustment',20000000,NULL,NULL,1795391896038,1795391896050,NULL,NULL,'paid','top-up:bought-1');
INSERT INTO ledger_entry VALUES(20,'01a205b2-39e6-7000-8d60-9840dde3df02','adjustment',-1000000,NULL,NULL,1795391896038,1795391896061,NULL,NULL,'a mistake','correction:01a205b2-39fd-7000-a727-2c905c3f817b');
INSERT INTO ledger_entry VALUES(21,'01a205b2-39e6-7000-8d60-9840dde3df02','hold',-224,NULL,'01a205b2-3a01-7000-8608-10db488ec60e',1795391896038,1795391896066,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(22,'01a205b2-39e6-7000-8d60-9840dde3df02','settle',185,39,'01a205b2-3a01-7000-8608-10db488ec60e',1795391896038,1795391896068,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(23,'01a205b2-39e6-7000-8d60-9840dde3df02','hold',-229,NULL,'01a205b2-3a0d-7000-8f1e-57fceac3abe0',1795391896038,1795391896078,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(24,'01a205b2-39e6-7000-8d60-9840dde3df02','settle',190,39,'01a205b2-3a0d-7000-8f1e-57fceac3abe0',1795391896038,1795391896081,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(25,'01a205b2-39e6-7000-8d60-9840dde3df02','hold',-39,NULL,'01a205b2-3a1d-7000-9a7b-8c19654cca0e',1795391896038,1795391896094,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(26,'01a205b2-39e6-7000-8d60-9840dde3df02','settle',0,39,'01a205b2-3a1d-7000-9a7b-8c19654cca0e',1795391896038,1795391896097,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(27,'01a205b2-3a2c-7000-b2a0-7307e8311252','hold',0,NULL,'01a205b2-3a31-7000-8908-624976f2196c',1795391896108,1795391896113,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(28,'01a205b2-3a2c-7000-b2a0-7307e8311252','settle',-39,39,'01a205b2-3a31-7000-8908-624976f2196c',1795391896108,1795391896116,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(29,'01a205b2-3a2c-7000-b2a0-7307e8311252','hold',0,NULL,'01a205b2-3a37-7000-a78b-c3fe9b736f31',1795391896108,1795391896119,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(30,'01a205b2-3a2c-7000-b2a0-7307e8311252','settle',-39,39,'01a205b2-3a37-7000-a78b-c3fe9b736f31',1795391896108,1795391896122,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(31,'01a205b2-3a2c-7000-b2a0-7307e8311252','hold',0,NULL,'01a205b2-3a3c-7000-bd31-a91c9d1e1544',1795391896108,1795391896125,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(32,'01a205b2-3a2c-7000-b2a0-7307e8311252','settle',-39,39,'01a205b2-3a3c-7000-bd31-a91c9d1e1544',1795391896108,1795391896126,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(33,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','grant',1000000,NULL,NULL,1795391896524,1795391896524,NULL,NULL,NULL,'cycle:1795391896524');
INSERT INTO ledger_entry VALUES(34,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','adjustment',20000000,NULL,NULL,1795391896524,1795391896566,NULL,NULL,'paid','top-up:dear-1');
INSERT INTO ledger_entry VALUES(35,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','adjustment',-1000000,NULL,NULL,1795391896524,1795391896578,NULL,NULL,'a mistake','correction:01a205b2-3c02-7000-b45a-72779984095b');
INSERT INTO ledger_entry VALUES(36,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','hold',-472,NULL,'01a205b2-3c14-7000-8335-3edf59007ab2',1795391896524,1795391896596,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(37,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','settle',375,97,'01a205b2-3c14-7000-8335-3edf59007ab2',1795391896524,1795391896598,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(38,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','hold',-487,NULL,'01a205b2-3c1f-7000-873b-ad8c2c976a13',1795391896524,1795391896607,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(39,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','settle',390,97,'01a205b2-3c1f-7000-873b-ad8c2c976a13',1795391896524,1795391896612,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(40,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','hold',-107,NULL,'01a205b2-3c2c-7000-95de-fb7af4cfa73c',1795391896524,1795391896621,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(41,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','settle',10,97,'01a205b2-3c2c-7000-95de-fb7af4cfa73c',1795391896524,1795391896623,'model-for-tests',2,NULL,NULL);
CREATE TABLE balance (
  key_id TEXT NOT NULL PRIMARY KEY REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL CHECK (used_micro >= 0),
  request_count INTEGER NOT NULL CHECK (request_count >= 0),
  last_used_at_ms INTEGER
, package_type TEXT, package_micro INTEGER, time_zone TEXT, next_reset_at_ms INTEGER) STRICT;
INSERT INTO balance VALUES('01a205b2-3035-7000-a8ed-30e78addbd78',1795391893557,10000000,10000000,0,0,NULL,'topup',10000000,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-388f-7000-a520-48022004caf7',1793491200000,99999883,100000000,117,3,1795391895910,'monthly',100000000,'UTC',1796083200000);
INSERT INTO balance VALUES('01a205b2-3977-7000-89c5-1586ce750fc3',1795391896006,100000000,100000000,0,3,1795391895972,'monthly',100000000,'UTC',1796083200000);
INSERT INTO balance VALUES('01a205b2-39e6-7000-8d60-9840dde3df02',1795391896038,19999883,20000000,117,3,1795391896094,'topup',1000000,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-3a2c-7000-b2a0-7307e8311252',1795391896108,-117,0,117,3,1795391896125,'unlimited',0,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-3bcc-7000-89a3-bdfd8576f1a1',1795391896524,19999709,20000000,291,3,1795391896621,'topup',1000000,'UTC',NULL);
CREATE TABLE usage_record (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES key (id),
  package_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT,
  upstream_model TEXT,
  is_stream INTEGER NOT NULL CHECK (is_stream BETWEEN 0 AND 1),
  outcome TEXT NOT NULL,
  status INTEGER NOT NULL,
  input_tokens INTEGER CHECK (input_tokens >= 0),
  cache_read_tokens INTEGER CHECK (cache_read_tokens >= 0),
  cache_write_tokens INTEGER CHECK (cache_write_tokens >= 0),
  output_tokens INTEGER CHECK (output_tokens >= 0),
  reasoning_tokens INTEGER CHECK (reasoning_tokens >= 0),
  usage_source TEXT NOT NULL CHECK (usage_source = 'reported' OR usage_source = 'estimated' OR usage_source = 'none'),
  price_version INTEGER,
  hold_micro INTEGER NOT NULL CHECK (hold_micro >= 0),
  charge_micro INTEGER NOT NULL CHECK (charge_micro >= 0),
  is_overrun INTEGER NOT NULL CHECK (is_overrun BETWEEN 0 AND 1),
  created_at_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL
, estimated_classes TEXT, attempts TEXT CHECK (attempts IS NULL OR json_valid(attempts))) STRICT, WITHOUT ROWID;
INSERT INTO usage_record VALUES('01a205b2-38a4-7000-8821-8ca63036df5a','01a205b2-388f-7000-a520-48022004caf7','01a205b2-3225-7001-a582-a60d406df0d6','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,224,39,0,1795391895720,112,114,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":112}]');
INSERT INTO usage_record VALUES('01a205b2-3931-7000-b275-94501183e9c2','01a205b2-388f-7000-a520-48022004caf7','01a205b2-3225-7001-a582-a60d406df0d6','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,229,39,0,1795391895858,34,43,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":42}]');
INSERT INTO usage_record VALUES('01a205b2-3965-7000-9694-bcda31eb77a7','01a205b2-388f-7000-a520-48022004caf7','01a205b2-3225-7001-a582-a60d406df0d6','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,39,39,0,1795391895910,5,6,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":5}]');
INSERT INTO usage_record VALUES('01a205b2-3980-7000-9fa4-3a227233d251','01a205b2-3977-7000-89c5-1586ce750fc3','01a205b2-3226-7000-a644-aeb174110e4d','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,224,39,0,1795391895940,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-398e-7000-8e40-0d1a479c844c','01a205b2-3977-7000-89c5-1586ce750fc3','01a205b2-3226-7000-a644-aeb174110e4d','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,229,39,0,1795391895955,2,3,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":3}]');
INSERT INTO usage_record VALUES('01a205b2-39a3-7000-8406-040c428fac8c','01a205b2-3977-7000-89c5-1586ce750fc3','01a205b2-3226-7000-a644-aeb174110e4d','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,39,39,0,1795391895972,6,6,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-3a01-7000-8608-10db488ec60e','01a205b2-39e6-7000-8d60-9840dde3df02','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,224,39,0,1795391896066,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-3a0d-7000-8f1e-57fceac3abe0','01a205b2-39e6-7000-8d60-9840dde3df02','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,229,39,0,1795391896078,2,3,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":3}]');
INSERT INTO usage_record VALUES('01a205b2-3a1d-7000-9a7b-8c19654cca0e','01a205b2-39e6-7000-8d60-9840dde3df02','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,39,39,0,1795391896094,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-3a31-7000-8908-624976f2196c','01a205b2-3a2c-7000-b2a0-7307e8311252','01a205b2-3226-7002-bc47-fe6eecc1dd3c','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391896113,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-3a37-7000-a78b-c3fe9b736f31','01a205b2-3a2c-7000-b2a0-7307e8311252','01a205b2-3226-7002-bc47-fe6eecc1dd3c','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391896119,2,3,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-3a3c-7000-bd31-a91c9d1e1544','01a205b2-3a2c-7000-b2a0-7307e8311252','01a205b2-3226-7002-bc47-fe6eecc1dd3c','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391896125,1,1,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
INSERT INTO usage_record VALUES('01a205b2-3c14-7000-8335-3edf59007ab2','01a205b2-3bcc-7000-89a3-bdfd8576f1a1','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',2,472,97,0,1795391896596,1,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
INSERT INTO usage_record VALUES('01a205b2-3c1f-7000-873b-ad8c2c976a13','01a205b2-3bcc-7000-89a3-bdfd8576f1a1','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',2,487,97,0,1795391896607,3,4,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":4}]');
INSERT INTO usage_record VALUES('01a205b2-3c2c-7000-95de-fb7af4cfa73c','01a205b2-3bcc-7000-89a3-bdfd8576f1a1','01a205b2-3226-7001-b589-c9ff27b315c3','chat','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',2,107,97,0,1795391896621,1,1,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
CREATE TABLE ledger_summary (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  last_seq INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE TABLE cycle_summary (
  key_id TEXT NOT NULL REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL,
  request_count INTEGER NOT NULL,
  PRIMARY KEY (key_id, cycle_started_at_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE member (
  id TEXT NOT NULL PRIMARY KEY,
  -- Two names that look alike would be taken for one person.
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('administrator', 'member')),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  -- "all", or a list of ids.
  packages TEXT NOT NULL CHECK (json_valid(packages)),
  password_hash TEXT,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER
, limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits))) STRICT;
INSERT INTO member VALUES('01a205b2-384e-7000-89f4-ce32043b667b','Mia','member','active','["01a205b2-3226-7001-b589-c9ff27b315c3"]','$scrypt$ln=17,r=8,p=1$6YQc+f1sDBNms0FFCmNcdA$/5lJOjks+dkt9cMwPtU9GKy14vkZHqnSlyEzfxT/Olg',1795391895630,NULL,'{}');
INSERT INTO member VALUES('01a205b2-387f-7000-9396-50850dbb5fc9','Nils','member','active','["01a205b2-3226-7000-a644-aeb174110e4d"]',NULL,1795391895679,NULL,'{}');
CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  -- NULL: the owner of the machine.
  member_id TEXT REFERENCES member (id) ON DELETE CASCADE,
  cookie_hash TEXT NOT NULL UNIQUE CHECK (length(cookie_hash) = 43),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE sign_in_failure (
  subject TEXT NOT NULL PRIMARY KEY CHECK (length(subject) = 43),
  count INTEGER NOT NULL CHECK (count > 0),
  last_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_entry (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT,
  outcome TEXT NOT NULL,
  status INTEGER,
  details TEXT NOT NULL CHECK (json_valid(details))
) STRICT;
INSERT INTO audit_entry VALUES(1,1795391894127,'command line','apply',NULL,'done',200,'{"providers":["fake"],"models":["model-for-tests"],"packages":["month","day","bought","free"]}');
INSERT INTO audit_entry VALUES(2,1795391895637,'command line','addMember',NULL,'done',200,'{"name":"Mia","packages":["bought"]}');
INSERT INTO audit_entry VALUES(3,1795391895688,'command line','createInvite',NULL,'done',200,'{"name":"Nils","packages":["day"]}');
INSERT INTO audit_entry VALUES(4,1795391895703,'command line','createKey',NULL,'done',200,'{"name":"month","package":"month","expires":"never"}');
INSERT INTO audit_entry VALUES(5,1795391895933,'command line','createKey',NULL,'done',200,'{"name":"day","package":"day","expires":"never"}');
INSERT INTO audit_entry VALUES(6,1795391896032,'command line','moveKey','day','done',200,'{"package":"month"}');
INSERT INTO audit_entry VALUES(7,1795391896045,'command line','createKey',NULL,'done',200,'{"name":"bought","package":"bought","expires":"never"}');
INSERT INTO audit_entry VALUES(8,1795391896056,'command line','topUpKey','bought','done',200,'{"credits":20,"reason":"paid","idempotency_id":"bought-1"}');
INSERT INTO audit_entry VALUES(9,1795391896063,'command line','adjustKey','bought','done',200,'{"credits":-1,"reason":"a mistake"}');
INSERT INTO audit_entry VALUES(10,1795391896111,'command line','createKey',NULL,'done',200,'{"name":"free","package":"free","expires":"never"}');
INSERT INTO audit_entry VALUES(11,1795391896242,'command line','rotateKey','free','done',200,'{"overlap":"24h","expires":"never"}');
INSERT INTO audit_entry VALUES(12,1795391896383,'command line','priceModel','model-for-tests','done',200,'{"input":3,"output":4}');
INSERT INTO audit_entry VALUES(13,1795391896563,'command line','createKey',NULL,'done',200,'{"name":"dear","package":"bought","expires":"never"}');
INSERT INTO audit_entry VALUES(14,1795391896575,'command line','topUpKey','dear','done',200,'{"credits":20,"reason":"paid","idempotency_id":"dear-1"}');
INSERT INTO audit_entry VALUES(15,1795391896591,'command line','adjustKey','dear','done',200,'{"credits":-1,"reason":"a mistake"}');
INSERT INTO audit_entry VALUES(16,1795391896641,'command line','revokeKey','dear','done',200,'{}');
CREATE TABLE usage_group (
  -- The slice in the high bits, so that the rows of one slice are neighbours.
  id INTEGER PRIMARY KEY,
  slice INTEGER NOT NULL CHECK (slice BETWEEN 0 AND 15),
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  package_id TEXT NOT NULL
) STRICT;
INSERT INTO usage_group VALUES(0,0,'','','','');
INSERT INTO usage_group VALUES(6597069766656,6,'','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','');
INSERT INTO usage_group VALUES(9895604649984,9,'01a205b2-388f-7000-a520-48022004caf7','','','01a205b2-3225-7001-a582-a60d406df0d6');
INSERT INTO usage_group VALUES(9895604649985,9,'01a205b2-3977-7000-89c5-1586ce750fc3','','','01a205b2-3226-7000-a644-aeb174110e4d');
INSERT INTO usage_group VALUES(9895604649986,9,'01a205b2-39e6-7000-8d60-9840dde3df02','','','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(9895604649987,9,'01a205b2-3a2c-7000-b2a0-7307e8311252','','','01a205b2-3226-7002-bc47-fe6eecc1dd3c');
INSERT INTO usage_group VALUES(9895604649988,9,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','','','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(12094627905536,11,'01a205b2-388f-7000-a520-48022004caf7','model-for-tests','','01a205b2-3225-7001-a582-a60d406df0d6');
INSERT INTO usage_group VALUES(12094627905537,11,'01a205b2-3977-7000-89c5-1586ce750fc3','model-for-tests','','01a205b2-3226-7000-a644-aeb174110e4d');
INSERT INTO usage_group VALUES(12094627905538,11,'01a205b2-39e6-7000-8d60-9840dde3df02','model-for-tests','','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(12094627905539,11,'01a205b2-3a2c-7000-b2a0-7307e8311252','model-for-tests','','01a205b2-3226-7002-bc47-fe6eecc1dd3c');
INSERT INTO usage_group VALUES(12094627905540,11,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','model-for-tests','','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(14293651161088,13,'01a205b2-388f-7000-a520-48022004caf7','','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3225-7001-a582-a60d406df0d6');
INSERT INTO usage_group VALUES(14293651161089,13,'01a205b2-3977-7000-89c5-1586ce750fc3','','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7000-a644-aeb174110e4d');
INSERT INTO usage_group VALUES(14293651161090,13,'01a205b2-39e6-7000-8d60-9840dde3df02','','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(14293651161091,13,'01a205b2-3a2c-7000-b2a0-7307e8311252','','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7002-bc47-fe6eecc1dd3c');
INSERT INTO usage_group VALUES(14293651161092,13,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(15393162788864,14,'','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3225-7001-a582-a60d406df0d6');
INSERT INTO usage_group VALUES(15393162788865,14,'','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7000-a644-aeb174110e4d');
INSERT INTO usage_group VALUES(15393162788866,14,'','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(15393162788867,14,'','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7002-bc47-fe6eecc1dd3c');
INSERT INTO usage_group VALUES(16492674416640,15,'01a205b2-388f-7000-a520-48022004caf7','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3225-7001-a582-a60d406df0d6');
INSERT INTO usage_group VALUES(16492674416641,15,'01a205b2-3977-7000-89c5-1586ce750fc3','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7000-a644-aeb174110e4d');
INSERT INTO usage_group VALUES(16492674416642,15,'01a205b2-39e6-7000-8d60-9840dde3df02','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7001-b589-c9ff27b315c3');
INSERT INTO usage_group VALUES(16492674416643,15,'01a205b2-3a2c-7000-b2a0-7307e8311252','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7002-bc47-fe6eecc1dd3c');
INSERT INTO usage_group VALUES(16492674416644,15,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1','model-for-tests','01a205b2-3225-7000-be12-b9ea9ea9ddbb','01a205b2-3226-7001-b589-c9ff27b315c3');
CREATE TABLE usage_hour (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  -- With a status of 400 or more.
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  -- The highest charge among them, so that a search for dear calls knows where to look.
  most_charge_micro INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_hour VALUES(1795388400000,0,15,0,285,0,0,150,0,759,0,0,97);
INSERT INTO usage_hour VALUES(1795388400000,16492674416640,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_hour VALUES(1795388400000,16492674416641,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_hour VALUES(1795388400000,16492674416642,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_hour VALUES(1795388400000,16492674416643,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_hour VALUES(1795388400000,16492674416644,3,0,57,0,0,30,0,291,0,0,97);
CREATE TABLE usage_day (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  -- With a status of 400 or more.
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  -- The highest charge among them, so that a search for dear calls knows where to look.
  most_charge_micro INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_day VALUES(1795305600000,0,15,0,285,0,0,150,0,759,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,6597069766656,15,0,285,0,0,150,0,759,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,9895604649984,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,9895604649985,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,9895604649986,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,9895604649987,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,9895604649988,3,0,57,0,0,30,0,291,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,12094627905536,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,12094627905537,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,12094627905538,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,12094627905539,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,12094627905540,3,0,57,0,0,30,0,291,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,14293651161088,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,14293651161089,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,14293651161090,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,14293651161091,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,14293651161092,3,0,57,0,0,30,0,291,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,15393162788864,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,15393162788865,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,15393162788866,6,0,114,0,0,60,0,408,0,0,97);
INSERT INTO usage_day VALUES(1795305600000,15393162788867,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,16492674416640,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,16492674416641,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,16492674416642,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,16492674416643,3,0,57,0,0,30,0,117,0,0,39);
INSERT INTO usage_day VALUES(1795305600000,16492674416644,3,0,57,0,0,30,0,291,0,0,97);
CREATE TABLE usage_first_token (
  started_at_ms INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  latency_class INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, key_id, latency_class)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-388f-7000-a520-48022004caf7',73,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-3977-7000-89c5-1586ce750fc3',15,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-39e6-7000-8d60-9840dde3df02',15,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-3a2c-7000-b2a0-7307e8311252',15,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-3bcc-7000-89a3-bdfd8576f1a1',23,1);
CREATE TABLE usage_rollup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  time_zone TEXT NOT NULL
) STRICT;
INSERT INTO usage_rollup VALUES(1,'UTC');
CREATE TABLE ledger_step (
  last_seq INTEGER PRIMARY KEY,
  kinds INTEGER NOT NULL
) STRICT;
CREATE TABLE ledger_point (
  key_id TEXT NOT NULL REFERENCES key (id),
  last_seq INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  kinds INTEGER NOT NULL,
  PRIMARY KEY (key_id, last_seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE lan (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  address TEXT,
  interface TEXT,
  port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
  names TEXT NOT NULL CHECK (json_valid(names)),
  is_administered INTEGER NOT NULL CHECK (is_administered IN (0, 1)),
  -- Paths; what is in the files is never kept here.
  certificate_file TEXT,
  key_file TEXT, announced_as TEXT CHECK (announced_as LIKE '_%.local'),
  CHECK ((address IS NULL) <> (interface IS NULL)),
  CHECK ((certificate_file IS NULL) = (key_file IS NULL))
) STRICT;
CREATE TABLE invite (
  member_id TEXT NOT NULL PRIMARY KEY REFERENCES member (id) ON DELETE CASCADE,
  -- Only the hash: who reads this table can accept nothing.
  code_hash TEXT NOT NULL UNIQUE CHECK (length(code_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL CHECK (expires_at_ms > created_at_ms)
) STRICT;
INSERT INTO invite VALUES('01a205b2-387f-7000-9396-50850dbb5fc9','ZC9pdpz-ox2PAWkb85hJJbSWQZ7mcHbyMup_XXjqZ-Y',1795391895679,1795478295679);
CREATE INDEX key_package ON key (package_id);
CREATE UNIQUE INDEX key_name ON key (name) WHERE status <> 'revoked';
CREATE TRIGGER key_revoked_is_final BEFORE UPDATE ON key WHEN OLD.status = 'revoked' AND NEW.status <> 'revoked'
BEGIN SELECT RAISE(ABORT, 'a revoked key stays revoked'); END;
CREATE UNIQUE INDEX ledger_entry_one_hold ON ledger_entry (exchange_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX ledger_entry_one_resolution ON ledger_entry (exchange_id) WHERE charge_micro IS NOT NULL;
CREATE UNIQUE INDEX ledger_entry_once ON ledger_entry (key_id, idempotency_id) WHERE idempotency_id IS NOT NULL;
CREATE TRIGGER ledger_entry_no_update BEFORE UPDATE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END;
CREATE TRIGGER ledger_entry_no_delete BEFORE DELETE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;
CREATE INDEX ledger_entry_adjustment ON ledger_entry (key_id, idempotency_id) WHERE kind = 'adjustment';
CREATE INDEX session_member ON session (member_id);
CREATE INDEX key_member ON key (member_id);
CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
WHEN OLD.seq > (SELECT max(seq) FROM audit_entry) - 100000
BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;
CREATE INDEX usage_record_created ON usage_record (created_at_ms, id);
CREATE UNIQUE INDEX usage_group_parts ON usage_group (slice, key_id, model_id, provider_id, package_id);
COMMIT;

PRAGMA user_version = 120;
