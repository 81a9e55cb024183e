"""Small files in a folder that others may share: read whole or not, replaced whole or not.

The same rules as the library has for its own cache (docs/guide/security.md).
"""

import errno
import os
import stat


def _wrap(number, mode):
    try:
        return os.fdopen(number, mode)
    except BaseException:
        os.close(number)
        raise


def read_own(path, most):
    """The bytes of a regular file of this user or root, at most `most`. OSError otherwise; never waits."""
    # Without O_NONBLOCK a pipe that nobody writes to would wait for ever.
    with _wrap(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(errno.EPERM, "others may have written it", path)
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", path)
    return content


def replace(path, content, mode=0o600, makes_folders=True):
    """Writes bytes so that readers see the old file or the new one. Folders that are missing are made for this user
    alone, unless `makes_folders` is false. `mode` is before the umask. OSError: nothing has changed."""
    if makes_folders:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    part = f"{path}.tmp.{os.urandom(8).hex()}"
    number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with _wrap(number, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
