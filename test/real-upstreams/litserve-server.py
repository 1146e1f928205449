"""A server of LitServe with OpenAI's format, whose model says one sentence: `litserve-server.py PORT`."""

import sys

import litserve


class OneSentence(litserve.LitAPI):
    def setup(self, device):
        self.words = ["Bano", " rimu", " teka", " solo", " vire", " duna"]

    def predict(self, prompt):
        yield from self.words


if __name__ == "__main__":
    api = OneSentence(spec=litserve.OpenAISpec())
    server = litserve.LitServer(api, accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(sys.argv[1]), num_api_servers=1, generate_client_file=False)
