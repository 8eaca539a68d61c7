"""The existing asynchronous client: the source of the synchronous one."""
