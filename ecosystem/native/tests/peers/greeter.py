"""The greeter's other end in Google's gRPC: `greeter.py client ADDRESS [CERTIFICATE]` or `greeter.py server`.

Without generated code: a message with one text, or a text and a small number, is written and read by hand.
"""

import sys
from concurrent import futures

import grpc


def text(name, times=None):
    encoded = name.encode()
    assert len(encoded) < 128
    message = b"\x0a" + bytes([len(encoded)]) + encoded
    return message if times is None else message + b"\x10" + bytes([times])


def untext(message):
    return message[2 : 2 + message[1]].decode() if message else ""


def channel_to(address, certificate):
    if certificate is None:
        return grpc.insecure_channel(address)
    with open(certificate, "rb") as file:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()))


def client(address, certificate=None):
    with channel_to(address, certificate) as channel:
        greet = channel.unary_unary("/greeter.Greeter/Greet")
        print(untext(greet(text("Python"), timeout=20)))
        often = channel.unary_stream("/greeter.Greeter/GreetOften")
        greetings = [untext(greeting) for greeting in often(text("Python", times=100), timeout=20)]
        print(len(greetings), greetings[-1])
        all_ = channel.stream_stream("/greeter.Greeter/GreetAll")
        greetings = [untext(greeting) for greeting in all_(iter([text("one"), text("two")]), timeout=20)]
        print(*greetings)
        try:
            greet(text(""), timeout=20)
        except grpc.RpcError as error:
            print(error.code().name, error.details())


def server():
    def greet(request, context):
        if not untext(request):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "whom?")
        return text(f"Hullo, {untext(request)}!")

    def often(request, context):
        for count in range(1, request[-1] + 1):
            yield text(f"Hullo, {untext(request)}, {count}!")

    def all_(requests, context):
        for request in requests:
            yield greet(request, context)

    handlers = {
        "Greet": grpc.unary_unary_rpc_method_handler(greet),
        "GreetOften": grpc.unary_stream_rpc_method_handler(often),
        "GreetAll": grpc.stream_stream_rpc_method_handler(all_),
    }
    running = grpc.server(futures.ThreadPoolExecutor(4))
    running.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("greeter.Greeter", handlers)])
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    running.wait_for_termination()


client(*sys.argv[2:]) if sys.argv[1] == "client" else server()
