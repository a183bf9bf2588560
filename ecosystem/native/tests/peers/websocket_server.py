"""A WebSocket server that answers in capitals. Prints its address."""

import asyncio

import websockets


async def shout(socket):
    async for message in socket:
        await socket.send(message.upper())


async def main():
    async with websockets.serve(shout, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        print(f"listening on {host}:{port}", flush=True)
        await asyncio.Future()


asyncio.run(main())
