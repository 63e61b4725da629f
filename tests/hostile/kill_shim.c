/* Ends the process with SIGKILL at the n-th call that changes something on disk: loaded before libc by a test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long counted = 0, limit = -1;

void kill_at(long number) { counted = 0; limit = number; }
long calls(void) { return counted; }

static void step(void) {
    if (limit >= 0 && counted++ == limit) kill(getpid(), SIGKILL);
}

#define NEXT(name) ({ static __typeof__(&name) found; if (!found) found = dlsym(RTLD_NEXT, #name); found; })

ssize_t write(int fd, const void *from, size_t size) { if (fd > 2) step(); return NEXT(write)(fd, from, size); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { step(); return NEXT(pwrite)(fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) { step(); return NEXT(pwrite64)(fd, from, size, at); }
int fsync(int fd) { step(); return NEXT(fsync)(fd); }
int fdatasync(int fd) { step(); return NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { step(); return NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { step(); return NEXT(ftruncate64)(fd, size); }
int rename(const char *from, const char *to) { step(); return NEXT(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { step(); return NEXT(renameat)(a, from, b, to); }
int unlink(const char *path) { step(); return NEXT(unlink)(path); }
int unlinkat(int at, const char *path, int flags) { step(); return NEXT(unlinkat)(at, path, flags); }
int mkdir(const char *path, mode_t mode) { step(); return NEXT(mkdir)(path, mode); }
int fchmod(int fd, mode_t mode) { step(); return NEXT(fchmod)(fd, mode); }
int open(const char *path, int flags, ...) {
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);
    if (flags & O_CREAT) step();
    return NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);
    if (flags & O_CREAT) step();
    return NEXT(open64)(path, flags, mode);
}
