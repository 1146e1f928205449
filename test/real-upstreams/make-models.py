"""Makes the models that the real servers run, as GGUF files of some megabytes: `make-models.py FOLDER`.

Their weights are random but for one thing: every token has a favourite successor, so that an answer without temperature is the
same on every machine. The words are made up, and nothing is downloaded.
"""

import pathlib
import random
import sys

import gguf
import numpy

VOCABULARY = 768
CONTEXT = 65_536
# What a favourite successor is worth, beside noise of about 1 and the leanings below.
FAVOURITE = 20.0
# Under a grammar strings, objects and lists come to an end.
LEANINGS = {'"': 7.0, "}": 6.0, "]": 6.0, "g": 3.0}

SPECIAL = ["<unk>", "<s>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"]
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
CITY = "Bern"

# One template for all: which marks a model may write, servers learn from it.
TEMPLATE = (
    "{%- if tools -%}<|system|>Tools:\n"
    "{%- for tool in tools -%}{{ tool | tojson }}\n{% endfor -%}"
    'Call one with <tool_call>{"name": "NAME", "arguments": {}}</tool_call>.<|end|>{%- endif -%}'
    "{%- for message in messages -%}"
    "{%- if message.role == 'assistant' -%}<|assistant|>"
    "{%- if message.reasoning_content -%}<think>{{ message.reasoning_content }}</think>{%- endif -%}"
    "{%- if message.content -%}{{ message.content }}{%- endif -%}"
    "{%- if message.tool_calls -%}{%- for call in message.tool_calls -%}"
    '<tool_call>{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}</tool_call>'
    "{%- endfor -%}{%- endif -%}<|end|>"
    "{%- elif message.role == 'tool' -%}<|tool|>{{ message.content }}<|end|>"
    "{%- elif message.role == 'user' -%}<|user|>{{ message.content }}<|end|>"
    "{%- else -%}<|system|>{{ message.content }}<|end|>{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)


def made_up_words(count):
    chance = random.Random(1)
    words = []
    while len(words) < count:
        word = "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(1, 3)))
        if word not in words:
            words.append(word)
    return words


def vocabulary():
    tokens = [*SPECIAL, *MARKS, *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", CITY]
    words = made_up_words(VOCABULARY - len(tokens))
    # The first one begins an answer, without a space before it.
    return tokens + [words[0].capitalize(), *("\u2581" + word for word in words[1:])]


TOKENS = vocabulary()
ID = {token: index for index, token in enumerate(TOKENS)}
WORDS = TOKENS[-(VOCABULARY - ID[CITY] - 1) :]


def byte(character):
    return f"<0x{ord(character):02X}>"


def chain(*tokens):
    return list(zip(tokens, tokens[1:]))


def token_type(token):
    if token == "<unk>":
        return gguf.TokenType.UNKNOWN
    if token in SPECIAL:
        return gguf.TokenType.CONTROL
    if token in MARKS:
        return gguf.TokenType.USER_DEFINED
    return gguf.TokenType.BYTE if token.startswith("<0x") else gguf.TokenType.NORMAL


STRINGS = chain(byte('"'), CITY, byte('"'))
START, END = "<|assistant|>", "<|end|>"
SUCCESSORS = {
    "plain": [*chain(START, *WORDS[:16], END), *STRINGS],
    "caller": [*chain(START, "<tool_call>", byte("{")), *chain("</tool_call>", END), *STRINGS],
    "thinker": [*chain(START, "<think>", *WORDS[40:50], "</think>", *WORDS[:12], END), *STRINGS],
    "endless": chain(START, *WORDS[:60], WORDS[1]),
    "embedder": [],
}


def write(name, path):
    width = 32 if name == "embedder" else 256
    hidden = 64
    chance = numpy.random.default_rng(7)
    normal = lambda rows, columns, size: chance.normal(0, size, (rows, columns)).astype(numpy.float32)
    embedding = normal(VOCABULARY, width, 1.0)
    # A dimension that is the same for all tokens gives each successor its leaning.
    embedding[:, 0] = 1.0
    output = normal(VOCABULARY, width, 0.02)
    for before, after in SUCCESSORS[name]:
        output[ID[after]] += FAVOURITE * embedding[ID[before]] / width
    for character, leaning in LEANINGS.items():
        output[ID[byte(character)], 0] += leaning

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name(f"farebox-{name}")
    writer.add_vocab_size(VOCABULARY)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([-float(index) for index in range(VOCABULARY)])
    writer.add_token_types([int(token_type(token)) for token in TOKENS])
    writer.add_unk_token_id(ID["<unk>"])
    writer.add_bos_token_id(ID["<s>"])
    writer.add_eos_token_id(ID[END])
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)

    ones = numpy.ones(width, dtype=numpy.float32)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", output)
    writer.add_tensor("blk.0.attn_norm.weight", ones)
    writer.add_tensor("blk.0.ffn_norm.weight", ones)
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{part}.weight", normal(width, width, 0.002))
    writer.add_tensor("blk.0.ffn_gate.weight", normal(hidden, width, 0.002))
    writer.add_tensor("blk.0.ffn_up.weight", normal(hidden, width, 0.002))
    writer.add_tensor("blk.0.ffn_down.weight", normal(width, hidden, 0.002))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


folder = pathlib.Path(sys.argv[1])
for model in SUCCESSORS:
    write(model, folder / f"{model}.gguf")
