"""A WebSocket client: sends texts and blobs of many sizes, and checks that each comes back."""

import asyncio
import os
import sys

import websockets


async def main(url):
    async with websockets.connect(url, max_size=None) as socket:
        await socket.ping()
        for number in range(1000):
            await socket.send(f"text {number} ✓")
        for number in range(1000):
            assert await socket.recv() == f"text {number} ✓"
        for number in range(100):
            blob = os.urandom(number * 1000)
            await socket.send(blob)
            assert await socket.recv() == blob
    print(f"1000 texts and 100 blobs came back, closed with {socket.close_code}")


asyncio.run(main(sys.argv[1]))
