-- The key 'free': key_HRqrH5JW3mrsFR3OIY1GA8B0OeRE3kV5428kYD
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
, quirks TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(quirks)), on_disconnect TEXT NOT NULL DEFAULT 'cancel' CHECK (on_disconnect IN ('cancel', 'drain')), preset TEXT, network TEXT NOT NULL DEFAULT 'public' CHECK (network IN ('public', 'local')), secret_header TEXT, limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits)), time_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(time_limits)), headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object'), header_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_type(header_secrets) = 'array')) STRICT;
INSERT INTO provider VALUES('01a205b2-44dc-7000-9c04-f2d07b7cd46e','demo','demo','',0,'max_tokens',1795391898845,'{}','cancel',NULL,'public',NULL,'{}','{}','{}','[]');
INSERT INTO provider VALUES('01a205b2-4547-7000-89c8-aa34a5747606','fake','chat-completions','http://127.0.0.1:40619/v1',1,'max_tokens',1795391898951,'{}','cancel',NULL,'local',NULL,'{}','{}','{}','[]');
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
, is_context_guessed INTEGER NOT NULL DEFAULT 0 CHECK (is_context_guessed IN (0, 1))) STRICT;
INSERT INTO model VALUES('demo-chat','Demo chat (offline)','chat',32768,4096,1,1,1795391898845,0);
INSERT INTO model VALUES('demo-embedding','Demo embedding (offline)','embedding',8192,0,1,1,1795391898845,0);
INSERT INTO model VALUES('model-for-tests','model-for-tests','chat',8000,100,1,2,1795391898951,0);
CREATE TABLE target (
  model_id TEXT NOT NULL REFERENCES model (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL REFERENCES provider (id),
  upstream_model TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority >= 0),
  weight INTEGER NOT NULL CHECK (weight > 0),
  PRIMARY KEY (model_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO target VALUES('demo-chat',0,'01a205b2-44dc-7000-9c04-f2d07b7cd46e','demo-chat',0,1);
INSERT INTO target VALUES('demo-embedding',0,'01a205b2-44dc-7000-9c04-f2d07b7cd46e','demo-embedding',0,1);
INSERT INTO target VALUES('model-for-tests',0,'01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,1);
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
INSERT INTO price VALUES('demo-chat',1,100000000,400000000,100000000,100000000,1795391898849);
INSERT INTO price VALUES('demo-embedding',1,50000000,0,50000000,50000000,1795391898849);
INSERT INTO price VALUES('model-for-tests',1,1000000,2000000,1000000,1000000,1795391898951);
INSERT INTO price VALUES('model-for-tests',2,3000000,4000000,3000000,3000000,1795391900724);
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
INSERT INTO package VALUES('01a205b2-44de-7000-98ad-bce9d273ae9f','starter','topup',10000000,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391898846);
INSERT INTO package VALUES('01a205b2-4547-7001-b299-c1de1bbe248d','month','monthly',100000000,'UTC',NULL,NULL,NULL,'["model-for-tests"]',NULL,1795391898951);
INSERT INTO package VALUES('01a205b2-4547-7002-9d70-9249087bc622','day','daily',10000000,'Europe/Berlin',60,NULL,NULL,'"all"',NULL,1795391898951);
INSERT INTO package VALUES('01a205b2-4547-7003-ba27-85f2ad4d9389','bought','topup',1000000,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391898951);
INSERT INTO package VALUES('01a205b2-4547-7004-b48c-3e17581d6304','free','unlimited',0,'UTC',NULL,NULL,NULL,'"all"',NULL,1795391898951);
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
INSERT INTO "key" VALUES('01a205b2-44de-7001-bb9d-0f68576748e2','first',NULL,'DvSnMrKQTY5g9u9Xnb7xFD7IkzkfMetPYQlZrzw1M5M','1x56','01a205b2-44de-7000-98ad-bce9d273ae9f','active',1803167898846,1795391898846,NULL,NULL,1795391898846,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-4abe-7000-bbcb-8923b78775dc','month',NULL,'L-wN5QOWabK-07VJrl1Sd5aCAOoqXaSneJYfa82FT0w','vXwR','01a205b2-4547-7001-b299-c1de1bbe248d','active',NULL,1795391900350,NULL,NULL,1795391900350,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-4b7c-7000-a253-739a0e49987d','day',NULL,'LXOJwn_qyNR4xQ6gWxB_PvjkhI_tpfId1SkO7uLgzVE','Gd6a','01a205b2-4547-7001-b299-c1de1bbe248d','active',NULL,1795391900540,NULL,NULL,1795391900540,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-4bb5-7000-94e0-f8864ed5b4e5','bought',NULL,'Hpbc4NdsH96fKckmUgJmVvsSUYeiQ26OXxe4OpMD3DA','kHWC','01a205b2-4547-7003-ba27-85f2ad4d9389','active',NULL,1795391900597,NULL,NULL,1795391900597,NULL,NULL);
INSERT INTO "key" VALUES('01a205b2-4c13-7000-9fb0-8325cfbe6f55','free',NULL,'Kz8K6pSvuzEb9qZ96rVYY38Ms0DY0te3am4Hepi4UiA','8kYD','01a205b2-4547-7004-b48c-3e17581d6304','active',NULL,1795391900691,NULL,NULL,1795391900717,'fCSlXd_xZnIZUPJfOzwyLgWe6lJFYsufXE8j2XFD9c0',1795478300717);
INSERT INTO "key" VALUES('01a205b2-4c3c-7001-b5a3-9266d18107cc','dear',NULL,'WivJp98OL3jJAq9y6s67jywZWFVVobHtrIFvCCqPl7Q','HJxa','01a205b2-4547-7003-ba27-85f2ad4d9389','revoked',NULL,1795391900732,NULL,NULL,1795391900732,NULL,NULL);
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
INSERT INTO ledger_entry VALUES(1,'01a205b2-44de-7001-bb9d-0f68576748e2','grant',10000000,NULL,NULL,1795391898849,1795391898849,NULL,NULL,NULL,'cycle:1795391898849');
INSERT INTO ledger_entry VALUES(2,'01a205b2-4abe-7000-bbcb-8923b78775dc','grant',100000000,NULL,NULL,1793491200000,1795391900350,NULL,NULL,NULL,'cycle:1793491200000');
INSERT INTO ledger_entry VALUES(3,'01a205b2-4abe-7000-bbcb-8923b78775dc','hold',-598,NULL,'01a205b2-4ad7-7000-8e33-79119d307ea4',1793491200000,1795391900408,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(4,'01a205b2-4abe-7000-bbcb-8923b78775dc','settle',559,39,'01a205b2-4ad7-7000-8e33-79119d307ea4',1793491200000,1795391900498,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(5,'01a205b2-4abe-7000-bbcb-8923b78775dc','hold',-626,NULL,'01a205b2-4b5c-7000-83d5-6fd473432da3',1793491200000,1795391900509,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(6,'01a205b2-4abe-7000-bbcb-8923b78775dc','settle',587,39,'01a205b2-4b5c-7000-83d5-6fd473432da3',1793491200000,1795391900524,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(7,'01a205b2-4abe-7000-bbcb-8923b78775dc','hold',-438,NULL,'01a205b2-4b72-7000-a17b-e7e65b653480',1793491200000,1795391900532,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(8,'01a205b2-4abe-7000-bbcb-8923b78775dc','settle',399,39,'01a205b2-4b72-7000-a17b-e7e65b653480',1793491200000,1795391900534,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(9,'01a205b2-4b7c-7000-a253-739a0e49987d','grant',10000000,NULL,NULL,1795388400000,1795391900540,NULL,NULL,NULL,'cycle:1795388400000');
INSERT INTO ledger_entry VALUES(10,'01a205b2-4b7c-7000-a253-739a0e49987d','hold',-598,NULL,'01a205b2-4b84-7000-8d2e-e47fbfe56e94',1795388400000,1795391900549,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(11,'01a205b2-4b7c-7000-a253-739a0e49987d','settle',559,39,'01a205b2-4b84-7000-8d2e-e47fbfe56e94',1795388400000,1795391900552,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(12,'01a205b2-4b7c-7000-a253-739a0e49987d','hold',-626,NULL,'01a205b2-4b94-7000-ba36-785b7e9a5ff9',1795388400000,1795391900565,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(13,'01a205b2-4b7c-7000-a253-739a0e49987d','settle',587,39,'01a205b2-4b94-7000-ba36-785b7e9a5ff9',1795388400000,1795391900569,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(14,'01a205b2-4b7c-7000-a253-739a0e49987d','hold',-448,NULL,'01a205b2-4ba2-7000-86f6-6a2e0aadcf42',1795388400000,1795391900583,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(15,'01a205b2-4b7c-7000-a253-739a0e49987d','settle',409,39,'01a205b2-4ba2-7000-86f6-6a2e0aadcf42',1795388400000,1795391900584,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(16,'01a205b2-4b7c-7000-a253-739a0e49987d','lapse',-9999883,NULL,NULL,1795388400000,1795391900588,NULL,NULL,'moved to package ''month''','lapse:1795388400000');
INSERT INTO ledger_entry VALUES(17,'01a205b2-4b7c-7000-a253-739a0e49987d','grant',100000000,NULL,NULL,1795391900588,1795391900588,NULL,NULL,'moved to package ''month''','cycle:1795391900588');
INSERT INTO ledger_entry VALUES(18,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','grant',1000000,NULL,NULL,1795391900597,1795391900597,NULL,NULL,NULL,'cycle:1795391900597');
INSERT INTO ledger_entry VALUES(19,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','adjustment',20000000,NULL,NULL,1795391900597,1795391900604,NULL,NULL,'paid','top-up:bought-1');
INSERT INTO ledger_entry VALUES(20,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','adjustment',-1000000,NULL,NULL,1795391900597,1795391900619,NULL,NULL,'a mistake','correction:01a205b2-4bcb-7000-8009-5c3eca2b4f80');
INSERT INTO ledger_entry VALUES(21,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','hold',-598,NULL,'01a205b2-4bf1-7000-a2f3-3f4413750294',1795391900597,1795391900658,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(22,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','settle',559,39,'01a205b2-4bf1-7000-a2f3-3f4413750294',1795391900597,1795391900660,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(23,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','hold',-626,NULL,'01a205b2-4bf7-7000-aff8-3623d54a263d',1795391900597,1795391900663,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(24,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','settle',587,39,'01a205b2-4bf7-7000-aff8-3623d54a263d',1795391900597,1795391900666,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(25,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','hold',-448,NULL,'01a205b2-4c0b-7000-bd1e-f6d0d89d3f38',1795391900597,1795391900684,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(26,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','settle',409,39,'01a205b2-4c0b-7000-bd1e-f6d0d89d3f38',1795391900597,1795391900687,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(27,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','hold',0,NULL,'01a205b2-4c16-7000-b427-5e8b1c047b25',1795391900691,1795391900694,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(28,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','settle',-39,39,'01a205b2-4c16-7000-b427-5e8b1c047b25',1795391900691,1795391900696,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(29,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','hold',0,NULL,'01a205b2-4c1c-7000-a94c-66423ffc9c89',1795391900691,1795391900701,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(30,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','settle',-39,39,'01a205b2-4c1c-7000-a94c-66423ffc9c89',1795391900691,1795391900706,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(31,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','hold',0,NULL,'01a205b2-4c25-7000-987d-37ecee417bb9',1795391900691,1795391900710,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(32,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','settle',-39,39,'01a205b2-4c25-7000-987d-37ecee417bb9',1795391900691,1795391900711,'model-for-tests',1,NULL,NULL);
INSERT INTO ledger_entry VALUES(33,'01a205b2-4c3c-7001-b5a3-9266d18107cc','grant',1000000,NULL,NULL,1795391900732,1795391900732,NULL,NULL,NULL,'cycle:1795391900732');
INSERT INTO ledger_entry VALUES(34,'01a205b2-4c3c-7001-b5a3-9266d18107cc','adjustment',20000000,NULL,NULL,1795391900732,1795391900738,NULL,NULL,'paid','top-up:dear-1');
INSERT INTO ledger_entry VALUES(35,'01a205b2-4c3c-7001-b5a3-9266d18107cc','adjustment',-1000000,NULL,NULL,1795391900732,1795391900742,NULL,NULL,'a mistake','correction:01a205b2-4c46-7001-a956-653bab319728');
INSERT INTO ledger_entry VALUES(36,'01a205b2-4c3c-7001-b5a3-9266d18107cc','hold',-1594,NULL,'01a205b2-4c4d-7000-9751-942362aa8e42',1795391900732,1795391900750,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(37,'01a205b2-4c3c-7001-b5a3-9266d18107cc','settle',1497,97,'01a205b2-4c4d-7000-9751-942362aa8e42',1795391900732,1795391900754,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(38,'01a205b2-4c3c-7001-b5a3-9266d18107cc','hold',-1678,NULL,'01a205b2-4c59-7000-93db-27fe4c07f7ac',1795391900732,1795391900762,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(39,'01a205b2-4c3c-7001-b5a3-9266d18107cc','settle',1581,97,'01a205b2-4c59-7000-93db-27fe4c07f7ac',1795391900732,1795391900766,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(40,'01a205b2-4c3c-7001-b5a3-9266d18107cc','hold',-1324,NULL,'01a205b2-4c61-7000-afd5-65c0b989d8ec',1795391900732,1795391900769,'model-for-tests',2,NULL,NULL);
INSERT INTO ledger_entry VALUES(41,'01a205b2-4c3c-7001-b5a3-9266d18107cc','settle',1227,97,'01a205b2-4c61-7000-afd5-65c0b989d8ec',1795391900732,1795391900771,'model-for-tests',2,NULL,NULL);
CREATE TABLE balance (
  key_id TEXT NOT NULL PRIMARY KEY REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL CHECK (used_micro >= 0),
  request_count INTEGER NOT NULL CHECK (request_count >= 0),
  last_used_at_ms INTEGER
, package_type TEXT, package_micro INTEGER, time_zone TEXT, next_reset_at_ms INTEGER) STRICT;
INSERT INTO balance VALUES('01a205b2-44de-7001-bb9d-0f68576748e2',1795391898849,10000000,10000000,0,0,NULL,'topup',10000000,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-4abe-7000-bbcb-8923b78775dc',1793491200000,99999883,100000000,117,3,1795391900532,'monthly',100000000,'UTC',1796083200000);
INSERT INTO balance VALUES('01a205b2-4b7c-7000-a253-739a0e49987d',1795391900588,100000000,100000000,0,3,1795391900583,'monthly',100000000,'UTC',1796083200000);
INSERT INTO balance VALUES('01a205b2-4bb5-7000-94e0-f8864ed5b4e5',1795391900597,19999883,20000000,117,3,1795391900684,'topup',1000000,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-4c13-7000-9fb0-8325cfbe6f55',1795391900691,-117,0,117,3,1795391900710,'unlimited',0,'UTC',NULL);
INSERT INTO balance VALUES('01a205b2-4c3c-7001-b5a3-9266d18107cc',1795391900732,19999709,20000000,291,3,1795391900769,'topup',1000000,'UTC',NULL);
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
INSERT INTO usage_record VALUES('01a205b2-4ad7-7000-8e33-79119d307ea4','01a205b2-4abe-7000-bbcb-8923b78775dc','01a205b2-4547-7001-b299-c1de1bbe248d','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,598,39,0,1795391900408,88,89,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":87}]');
INSERT INTO usage_record VALUES('01a205b2-4b5c-7000-83d5-6fd473432da3','01a205b2-4abe-7000-bbcb-8923b78775dc','01a205b2-4547-7001-b299-c1de1bbe248d','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,626,39,0,1795391900509,7,15,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":14}]');
INSERT INTO usage_record VALUES('01a205b2-4b72-7000-a17b-e7e65b653480','01a205b2-4abe-7000-bbcb-8923b78775dc','01a205b2-4547-7001-b299-c1de1bbe248d','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,438,39,0,1795391900532,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4b84-7000-8d2e-e47fbfe56e94','01a205b2-4b7c-7000-a253-739a0e49987d','01a205b2-4547-7002-9d70-9249087bc622','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,598,39,0,1795391900549,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4b94-7000-ba36-785b7e9a5ff9','01a205b2-4b7c-7000-a253-739a0e49987d','01a205b2-4547-7002-9d70-9249087bc622','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,626,39,0,1795391900565,3,4,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":4}]');
INSERT INTO usage_record VALUES('01a205b2-4ba2-7000-86f6-6a2e0aadcf42','01a205b2-4b7c-7000-a253-739a0e49987d','01a205b2-4547-7002-9d70-9249087bc622','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,448,39,0,1795391900583,1,1,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
INSERT INTO usage_record VALUES('01a205b2-4bf1-7000-a2f3-3f4413750294','01a205b2-4bb5-7000-94e0-f8864ed5b4e5','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,598,39,0,1795391900658,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4bf7-7000-aff8-3623d54a263d','01a205b2-4bb5-7000-94e0-f8864ed5b4e5','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,626,39,0,1795391900663,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4c0b-7000-bd1e-f6d0d89d3f38','01a205b2-4bb5-7000-94e0-f8864ed5b4e5','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,448,39,0,1795391900684,2,3,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4c16-7000-b427-5e8b1c047b25','01a205b2-4c13-7000-9fb0-8325cfbe6f55','01a205b2-4547-7004-b48c-3e17581d6304','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391900694,2,2,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":2}]');
INSERT INTO usage_record VALUES('01a205b2-4c1c-7000-a94c-66423ffc9c89','01a205b2-4c13-7000-9fb0-8325cfbe6f55','01a205b2-4547-7004-b48c-3e17581d6304','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391900701,3,6,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":6}]');
INSERT INTO usage_record VALUES('01a205b2-4c25-7000-987d-37ecee417bb9','01a205b2-4c13-7000-9fb0-8325cfbe6f55','01a205b2-4547-7004-b48c-3e17581d6304','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',1,0,39,0,1795391900710,1,1,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
INSERT INTO usage_record VALUES('01a205b2-4c4d-7000-9751-942362aa8e42','01a205b2-4c3c-7001-b5a3-9266d18107cc','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',2,1594,97,0,1795391900750,3,4,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":4}]');
INSERT INTO usage_record VALUES('01a205b2-4c59-7000-93db-27fe4c07f7ac','01a205b2-4c3c-7001-b5a3-9266d18107cc','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',1,'answered',200,19,0,NULL,10,0,'reported',2,1678,97,0,1795391900762,1,4,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":4}]');
INSERT INTO usage_record VALUES('01a205b2-4c61-7000-afd5-65c0b989d8ec','01a205b2-4c3c-7001-b5a3-9266d18107cc','01a205b2-4547-7003-ba27-85f2ad4d9389','chat','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','upstream-model',0,'answered',200,19,0,NULL,10,0,'reported',2,1324,97,0,1795391900769,1,1,'','[{"provider":"fake","model":"upstream-model","outcome":"complete","reason":null,"status":200,"duration_ms":1}]');
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
INSERT INTO member VALUES('01a205b2-4a72-7000-ac4e-0d18b8d83b53','Mia','member','active','["01a205b2-4547-7003-ba27-85f2ad4d9389"]','$scrypt$ln=17,r=8,p=1$ayeHQHGlSAsC35Nm3Ym/Xw$ClhBqOExnMLmCUMt3R3Tez7DR/uenq7KWQUwuj+iL04',1795391900274,NULL,'{}');
INSERT INTO member VALUES('01a205b2-4a9a-7000-aa23-78f6440aff64','Nils','member','active','["01a205b2-4547-7002-9d70-9249087bc622"]',NULL,1795391900314,NULL,'{}');
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
, doer TEXT NOT NULL DEFAULT 'administrator'
  CHECK (doer IN ('administrator', 'member', 'stranger')), number INTEGER NOT NULL DEFAULT 0, source TEXT, count INTEGER NOT NULL DEFAULT 1 CHECK (count > 0), last_at_ms INTEGER) STRICT;
INSERT INTO audit_entry VALUES(1,1795391899023,'command line','apply',NULL,'done',200,'{"providers":["fake"],"models":["model-for-tests"],"packages":["month","day","bought","free"]}','administrator',1,NULL,1,NULL);
INSERT INTO audit_entry VALUES(2,1795391900278,'command line','addMember',NULL,'done',200,'{"name":"Mia","packages":["bought"]}','administrator',2,NULL,1,NULL);
INSERT INTO audit_entry VALUES(3,1795391900336,'command line','createInvite',NULL,'done',200,'{"name":"Nils","packages":["day"]}','administrator',3,NULL,1,NULL);
INSERT INTO audit_entry VALUES(4,1795391900363,'command line','createKey',NULL,'done',200,'{"name":"month","package":"month","expires":"never"}','administrator',4,NULL,1,NULL);
INSERT INTO audit_entry VALUES(5,1795391900542,'command line','createKey',NULL,'done',200,'{"name":"day","package":"day","expires":"never"}','administrator',5,NULL,1,NULL);
INSERT INTO audit_entry VALUES(6,1795391900591,'command line','moveKey','day','done',200,'{"package":"month"}','administrator',6,NULL,1,NULL);
INSERT INTO audit_entry VALUES(7,1795391900601,'command line','createKey',NULL,'done',200,'{"name":"bought","package":"bought","expires":"never"}','administrator',7,NULL,1,NULL);
INSERT INTO audit_entry VALUES(8,1795391900614,'command line','topUpKey','bought','done',200,'{"credits":20,"reason":"paid","idempotency_id":"bought-1"}','administrator',8,NULL,1,NULL);
INSERT INTO audit_entry VALUES(9,1795391900650,'command line','adjustKey','bought','done',200,'{"credits":-1,"reason":"a mistake"}','administrator',9,NULL,1,NULL);
INSERT INTO audit_entry VALUES(10,1795391900692,'command line','createKey',NULL,'done',200,'{"name":"free","package":"free","expires":"never"}','administrator',10,NULL,1,NULL);
INSERT INTO audit_entry VALUES(11,1795391900719,'command line','rotateKey','free','done',200,'{"overlap":"24h","expires":"never"}','administrator',11,NULL,1,NULL);
INSERT INTO audit_entry VALUES(12,1795391900726,'command line','priceModel','model-for-tests','done',200,'{"input":3,"output":4}','administrator',12,NULL,1,NULL);
INSERT INTO audit_entry VALUES(13,1795391900735,'command line','createKey',NULL,'done',200,'{"name":"dear","package":"bought","expires":"never"}','administrator',13,NULL,1,NULL);
INSERT INTO audit_entry VALUES(14,1795391900739,'command line','topUpKey','dear','done',200,'{"credits":20,"reason":"paid","idempotency_id":"dear-1"}','administrator',14,NULL,1,NULL);
INSERT INTO audit_entry VALUES(15,1795391900748,'command line','adjustKey','dear','done',200,'{"credits":-1,"reason":"a mistake"}','administrator',15,NULL,1,NULL);
INSERT INTO audit_entry VALUES(16,1795391900775,'command line','revokeKey','dear','done',200,'{}','administrator',16,NULL,1,NULL);
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
INSERT INTO usage_group VALUES(6597069766656,6,'','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','');
INSERT INTO usage_group VALUES(9895604649984,9,'01a205b2-4abe-7000-bbcb-8923b78775dc','','','01a205b2-4547-7001-b299-c1de1bbe248d');
INSERT INTO usage_group VALUES(9895604649985,9,'01a205b2-4b7c-7000-a253-739a0e49987d','','','01a205b2-4547-7002-9d70-9249087bc622');
INSERT INTO usage_group VALUES(9895604649986,9,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','','','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(9895604649987,9,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','','','01a205b2-4547-7004-b48c-3e17581d6304');
INSERT INTO usage_group VALUES(9895604649988,9,'01a205b2-4c3c-7001-b5a3-9266d18107cc','','','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(12094627905536,11,'01a205b2-4abe-7000-bbcb-8923b78775dc','model-for-tests','','01a205b2-4547-7001-b299-c1de1bbe248d');
INSERT INTO usage_group VALUES(12094627905537,11,'01a205b2-4b7c-7000-a253-739a0e49987d','model-for-tests','','01a205b2-4547-7002-9d70-9249087bc622');
INSERT INTO usage_group VALUES(12094627905538,11,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','model-for-tests','','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(12094627905539,11,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','model-for-tests','','01a205b2-4547-7004-b48c-3e17581d6304');
INSERT INTO usage_group VALUES(12094627905540,11,'01a205b2-4c3c-7001-b5a3-9266d18107cc','model-for-tests','','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(14293651161088,13,'01a205b2-4abe-7000-bbcb-8923b78775dc','','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7001-b299-c1de1bbe248d');
INSERT INTO usage_group VALUES(14293651161089,13,'01a205b2-4b7c-7000-a253-739a0e49987d','','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7002-9d70-9249087bc622');
INSERT INTO usage_group VALUES(14293651161090,13,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(14293651161091,13,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7004-b48c-3e17581d6304');
INSERT INTO usage_group VALUES(14293651161092,13,'01a205b2-4c3c-7001-b5a3-9266d18107cc','','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(15393162788864,14,'','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7001-b299-c1de1bbe248d');
INSERT INTO usage_group VALUES(15393162788865,14,'','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7002-9d70-9249087bc622');
INSERT INTO usage_group VALUES(15393162788866,14,'','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(15393162788867,14,'','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7004-b48c-3e17581d6304');
INSERT INTO usage_group VALUES(16492674416640,15,'01a205b2-4abe-7000-bbcb-8923b78775dc','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7001-b299-c1de1bbe248d');
INSERT INTO usage_group VALUES(16492674416641,15,'01a205b2-4b7c-7000-a253-739a0e49987d','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7002-9d70-9249087bc622');
INSERT INTO usage_group VALUES(16492674416642,15,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7003-ba27-85f2ad4d9389');
INSERT INTO usage_group VALUES(16492674416643,15,'01a205b2-4c13-7000-9fb0-8325cfbe6f55','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7004-b48c-3e17581d6304');
INSERT INTO usage_group VALUES(16492674416644,15,'01a205b2-4c3c-7001-b5a3-9266d18107cc','model-for-tests','01a205b2-4547-7000-89c8-aa34a5747606','01a205b2-4547-7003-ba27-85f2ad4d9389');
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
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-4abe-7000-bbcb-8923b78775dc',40,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-4b7c-7000-a253-739a0e49987d',23,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-4bb5-7000-94e0-f8864ed5b4e5',15,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-4c13-7000-9fb0-8325cfbe6f55',23,1);
INSERT INTO usage_first_token VALUES(1795388400000,'01a205b2-4c3c-7001-b5a3-9266d18107cc',0,1);
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
INSERT INTO invite VALUES('01a205b2-4a9a-7000-aa23-78f6440aff64','20xY72JULYSBvh5BaJvPq5YxNQIKXIrqekv5gAD1fAY',1795391900314,1795478300314);
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
CREATE INDEX usage_record_created ON usage_record (created_at_ms, id);
CREATE UNIQUE INDEX usage_group_parts ON usage_group (slice, key_id, model_id, provider_id, package_id);
CREATE UNIQUE INDEX audit_entry_number ON audit_entry (doer, number);
CREATE TRIGGER audit_entry_no_update
BEFORE UPDATE OF seq, at_ms, actor, action, subject, outcome, status, details, doer, number, source ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
CREATE TRIGGER audit_entry_only_counts BEFORE UPDATE OF count, last_at_ms ON audit_entry
WHEN OLD.doer <> 'stranger' OR NEW.count < OLD.count
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
WHEN OLD.number > (SELECT max(number) FROM audit_entry WHERE doer = OLD.doer)
  - CASE OLD.doer WHEN 'stranger' THEN 1000 ELSE 100000 END
BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;
COMMIT;

PRAGMA user_version = 150;
