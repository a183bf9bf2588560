"""An HTTP/1.1 server that keeps connections open: it answers each request with its client's port, and prints when that has gone."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Who(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        answer = str(self.client_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def finish(self):
        super().finish()
        print("closed", self.client_address[1], flush=True)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Who)
print(f"listening on 127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
