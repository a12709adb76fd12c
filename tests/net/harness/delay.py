"""A TCP proxy that passes every byte on later, in both directions: a distant host.

    delay.py LISTEN_PORT SERVER PORT MILLISECONDS      on 127.0.0.1, until it is killed

It stands in for `tc netem`, which not every kernel has.
"""
import asyncio
import sys

CHUNK = 1 << 16


async def forward(reader, writer, delay):
    """Bytes keep their distances: each waits from when it came."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    async def read():
        data = b"?"
        while data:
            try:
                data = await reader.read(CHUNK)
            except OSError:
                data = b""
            queue.put_nowait((loop.time() + delay, data))

    reading = asyncio.create_task(read())
    try:
        while True:
            due, data = await queue.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        reading.cancel()
        writer.close()


async def serve(port, server, server_port, delay):
    async def accept(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(server, server_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(forward(reader, far_writer, delay),
                             forward(far_reader, writer, delay))

    listening = await asyncio.start_server(accept, "127.0.0.1", port)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) / 1000))
