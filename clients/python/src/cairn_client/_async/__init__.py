"""The asynchronous client: the source of the synchronous one."""
