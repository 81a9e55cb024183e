"""`triton.runtime.cache`: files by key, for callers that keep their own. Kernels have the library's cache."""

import functools
import os

from ... import _native, knobs
from ...compiler.targets import library_identity
from ...runtime import private_files


class CacheManager:
    """Keeps files that belong to one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    def get_file(self, filename):
        raise NotImplementedError

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        raise NotImplementedError

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """Below a folder of this machine."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        self.lock_path = None
        base = knobs.cache.override_dir if override else knobs.cache.dump_dir if dump else knobs.cache.dir
        if not base:
            raise RuntimeError("there is no cache folder: TRITON_CACHE_DIR is empty")
        self.cache_dir = os.path.join(base, key)
        if not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """Writes a file so that readers see all of it or none; gives its path."""
        if not self.lock_path:
            raise RuntimeError("an override folder is only read")
        path = self._make_path(filename)
        content = data if isinstance(data, (bytes, bytearray)) else str(data).encode()
        private_files.replace(path, content, mode=0o666)
        return path

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        import json

        with open(path) as file:
            paths = json.load(file).get("child_paths", {})
        return {name: child for name, child in paths.items() if os.path.exists(child)}

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:
    """Keeps files by name somewhere else. Subclasses have get(filenames) and put(filename, data)."""

    def __init__(self, key):
        self.key = key


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """In a Redis server; needs the redis package."""

    def __init__(self, key):
        super().__init__(key)
        import redis
        self._server = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename):
        return knobs.redis.key_format.format(key=self.key, filename=filename)

    def get(self, filenames):
        found = self._server.mget([self._name(filename) for filename in filenames])
        return {filename: data for filename, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._server.set(self._name(filename), data)


class RemoteCacheManager(CacheManager):
    """Files of a remote backend, with copies on this machine."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        self._backend = knobs.cache.remote_manager_class(key)
        self._files = FileCacheManager(key, override, dump)

    def _local(self, filename, data):
        return self._files.put(data, filename)

    def get_file(self, filename):
        found = self._backend.get([filename])
        return self._local(filename, found[filename]) if found else None

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, (bytes, bytearray)) else str(data).encode()
        self._backend.put(filename, data)
        return self._local(filename, data)

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        import json

        with open(path) as file:
            names = json.load(file)["child_names"]
        found = self._backend.get(names)
        return {name: self._local(name, data) for name, data in found.items()} if len(found) == len(names) else None

    def put_group(self, filename, group):
        import json

        return self.put(json.dumps({"child_names": sorted(group)}), f"__grp__{filename}")


def _base32(key):
    import base64

    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


_base64 = _base32


def get_cache_manager(key):
    """Of the files that belong to a key, a text of hexadecimal digits."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key))


def get_override_manager(key):
    """Of files that a user put in the place of made ones; it only reads."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), override=True)


def get_dump_manager(key):
    """Of files that are written for people to look at."""
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), dump=True)


@functools.lru_cache
def triton_key():
    """Changes when the compiler does."""
    return f"terrazzo-{_native.version()}-{library_identity()}"


def get_cache_key(src, backend, backend_options, env_vars):
    """A key of a source compiled with some options."""
    parts = (triton_key(), src.hash(), backend.hash(), str(backend_options), str(sorted(env_vars.items())))
    import hashlib

    return hashlib.sha256("-".join(parts).encode()).hexdigest()


def get_cache_invalidating_env_vars():
    """The variables of the environment, of those that are set, that change what is compiled."""
    names = ("TRITON_DEBUG", "TRITON_DEFAULT_FP_FUSION", "TRITON_DISABLE_LINE_INFO", "TRITON_F32_DEFAULT", "TRITON_PTXAS_PATH")
    names += tuple("TERRAZZO" + name.removeprefix("TRITON") for name in names) + ("TERRAZZO_DEBUG_LEVEL", "TERRAZZO_TARGET")
    return {name: os.environ[name] for name in names if name in os.environ}
