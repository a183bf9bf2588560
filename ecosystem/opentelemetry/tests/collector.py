"""A collector of OTLP's JSON over HTTP/1.1. Prints its address, and the spans of each request."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        batch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for resource in batch["resourceSpans"]:
            names = [a["value"]["stringValue"] for a in resource["resource"]["attributes"] if a["key"] == "service.name"]
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    print(f"span {names[0]} {span['name']}", flush=True)
        answer = b"{}"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(f"listening on {server.server_address[0]}:{server.server_address[1]}", flush=True)
server.serve_forever()
