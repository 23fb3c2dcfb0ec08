"""anext() with a default: what is awaited for it."""


async def with_default(step, default):
    try:
        return await step
    except StopAsyncIteration:
        return default
