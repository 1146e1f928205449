/*
 * A disk that is watched, as a library to be loaded before all others (LD_PRELOAD). It writes down, in order and with its bytes, what a
 * process does to the files below one folder, and when it was told that something has reached the disk. From that
 * `forgetful-disk.ts` makes what a power cut may leave. It can also end its process by SIGKILL at a chosen one of these changes.
 *
 *   DISK_FOLDER     the folder, as an absolute path
 *   DISK_LOG        the file to write to; there is none without it
 *   DISK_SYNC_US    by how many microseconds a sync takes longer than it does here, so that what does not wait for it is noticed
 *   DISK_KILL_AT    the number of the change to die at, counted from 1 over those of files whose path ends with DISK_KILL_FILE
 *   DISK_KILL_HOW   before: it never happens; half: a write brings half of its bytes; after: it happens, and nobody is told
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, RESIZE, SYNC, SYNC_RANGE, RENAME, UNLINK, LINK, MAKE_FOLDER, KILLED };
enum { MAX_FILES = 65536 };

/* Followed by the path (the one that a file was opened by; two with a zero byte between for RENAME and LINK) and the bytes. All numbers are as the machine has them. */
typedef struct {
  uint32_t type, path_bytes;
  uint64_t data_bytes, inode;
  /* WRITE: position. RESIZE: size. SYNC and SYNC_RANGE: how long the log was when it began, and for a range position and length. */
  int64_t first, second, third;
} record;

typedef struct { ino_t inode; int is_synchronous; char *path; } watched;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static watched files[MAX_FILES];
static int log_file = -1, is_set_up, kill_how;
static const char *folder, *kill_file;
static size_t folder_bytes;
static long sync_us, kill_at, changes;

#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* The C library's own way to the kernel: ours is below. */
static long (*kernel)(long, ...);

static int real_open(const char *path, int flags, mode_t mode) {
  return (int)kernel(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

static const char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value == NULL ? otherwise : value;
}

/* With the mutex. */
static void set_up(void) {
  if (is_set_up) return;
  is_set_up = 1;
  kernel = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  folder = getenv("DISK_FOLDER");
  if (folder == NULL) return;
  folder_bytes = strlen(folder);
  sync_us = atol(setting("DISK_SYNC_US", "0"));
  kill_at = atol(setting("DISK_KILL_AT", "0"));
  kill_file = setting("DISK_KILL_FILE", "");
  kill_how = setting("DISK_KILL_HOW", "before")[0];
  const char *path = getenv("DISK_LOG");
  if (path != NULL) log_file = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void enter(void) { pthread_mutex_lock(&mutex); set_up(); }
__attribute__((constructor)) static void begin(void) { enter(); pthread_mutex_unlock(&mutex); }
static void leave(void) { int kept = errno; pthread_mutex_unlock(&mutex); errno = kept; }

static int is_inside(const char *path) {
  return folder != NULL && strncmp(path, folder, folder_bytes) == 0 && (path[folder_bytes] == '/' || path[folder_bytes] == 0);
}

/* What SQLite keeps in memory that is shared: made anew by whoever finds the database, and of no meaning after a crash. */
static int is_watched(const char *path) {
  size_t length = strlen(path);
  return is_inside(path) && !(length > 4 && strcmp(path + length - 4, "-shm") == 0);
}

static void put(record head, const char *path, size_t path_bytes, const void *data) {
  if (log_file < 0) return;
  head.path_bytes = (uint32_t)path_bytes;
  struct iovec parts[] = {{&head, sizeof head}, {(void *)path, path_bytes}, {(void *)data, head.data_bytes}};
  int kept = errno;
  if (kernel(SYS_writev, log_file, parts, 3) < 0) abort();
  errno = kept;
}

static void put_path(int type, const char *path, ino_t inode) {
  put((record){.type = type, .inode = inode}, path, strlen(path), NULL);
}

static void put_file(record head, const char *path, const void *data) { put(head, path, strlen(path), data); }

static void put_two(int type, const char *from, const char *to) {
  char both[2 * PATH_MAX];
  size_t length = strlen(from);
  memcpy(both, from, length + 1);
  memcpy(both + length + 1, to, strlen(to));
  put((record){.type = type}, both, length + 1 + strlen(to), NULL);
}

/* Counts a change. Returns how the process is to die at it, or 0. */
static int dies_at(const char *path) {
  size_t length = strlen(path), end = strlen(kill_file);
  if (kill_at == 0 || length < end || strcmp(path + length - end, kill_file) != 0 || ++changes != kill_at) return 0;
  put_path(KILLED, path, 0);
  return kill_how;
}

static void die(void) { kernel(SYS_kill, kernel(SYS_getpid), SIGKILL); for (;;) pause(); }
static void die_before(const char *path, int *how) { *how = dies_at(path); if (*how == 'b' || *how == 'h') die(); }

/* The watched file behind a descriptor. Some are closed without our knowing, so the number alone says nothing. */
static watched *file_of(int fd) {
  struct stat now;
  if (fd < 0 || fd >= MAX_FILES || files[fd].inode == 0) return NULL;
  if (fstat(fd, &now) == 0 && now.st_ino == files[fd].inode) return &files[fd];
  files[fd].inode = 0;
  return NULL;
}

static int open_watched(const char *path, int flags, mode_t mode) {
  struct stat before, after;
  enter();
  if (!is_watched(path)) {
    leave();
    return real_open(path, flags, mode);
  }
  int was_there = stat(path, &before) == 0, how = 0;
  int creates = (flags & O_CREAT) && !was_there, cuts = (flags & O_TRUNC) && was_there;
  if (creates || cuts) die_before(path, &how);
  /* A write that is to be on disk when it returns becomes a write and a sync, between which the power can fail. */
  int fd = real_open(path, flags & ~O_SYNC, mode);
  if (fd >= 0 && fd < MAX_FILES && fstat(fd, &after) == 0) {
    files[fd] = (watched){after.st_ino, (flags & O_DSYNC) != 0, strdup(path)};
    if (creates) put_path(CREATE, path, after.st_ino);
    if (cuts) put_file((record){.type = RESIZE, .inode = after.st_ino}, path, NULL);
  }
  if (how) die();
  leave();
  return fd;
}

#define OPEN_MODE(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { OPEN_MODE(flags, mode); return open_watched(path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags, mode); return open_watched(path, flags, mode); }

static int sync_of(int fd, int is_range, int64_t position, int64_t length, int (*real)(int)) {
  int how = 0;
  enter();
  watched *file = file_of(fd);
  if (file == NULL) { leave(); return real(fd); }
  ino_t inode = file->inode;
  const char *path = file->path;
  int64_t began = log_file < 0 ? 0 : lseek(log_file, 0, SEEK_END);
  if (!is_range) die_before(file->path, &how);
  leave();
  int result = real(fd);
  if (sync_us > 0) usleep((useconds_t)sync_us);
  enter();
  if (result == 0 && is_range) put_file((record){SYNC_RANGE, 0, 0, inode, began, position, length}, path, NULL);
  else if (result == 0) put_file((record){SYNC, 0, 0, inode, began, 0, 0}, path, NULL);
  if (how) die();
  leave();
  return result;
}

int fsync(int fd) { REAL(fsync); return sync_of(fd, 0, 0, 0, real); }
int fdatasync(int fd) { REAL(fdatasync); return sync_of(fd, 0, 0, 0, real); }

/* Writes the parts one after the other, at a position or, where that is -1, where the descriptor stands. */
static ssize_t write_parts(int fd, const struct iovec *parts, int count, off_t position) {
  enter();
  watched *file = file_of(fd);
  if (file == NULL) {
    leave();
    return position < 0 ? kernel(SYS_writev, fd, parts, count) : kernel(SYS_pwritev, fd, parts, count, position, 0);
  }
  int how = dies_at(file->path);
  if (how == 'b') die();
  ssize_t total = 0;
  for (int part = 0; part < count; part++) {
    size_t wanted = how == 'h' ? parts[part].iov_len / 2 : parts[part].iov_len;
    ssize_t done = position < 0 ? kernel(SYS_write, fd, parts[part].iov_base, wanted)
                                : kernel(SYS_pwrite64, fd, parts[part].iov_base, wanted, position + total);
    if (done < 0) { if (total == 0) total = -1; break; }
    int64_t start = position < 0 ? lseek(fd, 0, SEEK_CUR) - done : position + total;
    put_file((record){WRITE, 0, (uint64_t)done, file->inode, start, 0, 0}, file->path, parts[part].iov_base);
    total += done;
    if (how == 'h') die();
    if ((size_t)done < wanted) break;
  }
  if (how) die();
  int is_synchronous = file->is_synchronous;
  int64_t start = position < 0 ? lseek(fd, 0, SEEK_CUR) - total : position;
  leave();
  if (total > 0 && is_synchronous) {
    static int (*real)(int);
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    if (sync_of(fd, 1, start, total, real) < 0) return -1;
  }
  return total;
}

static ssize_t write_one(int fd, const void *data, size_t bytes, off_t position) {
  if (kernel == NULL) begin();
  struct iovec part = {(void *)data, bytes};
  if (fd < 0 || fd >= MAX_FILES || files[fd].inode == 0) {
    return position < 0 ? kernel(SYS_write, fd, data, bytes) : kernel(SYS_pwrite64, fd, data, bytes, position);
  }
  return write_parts(fd, &part, 1, position);
}

ssize_t write(int fd, const void *data, size_t bytes) { return write_one(fd, data, bytes, -1); }
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t position) { return write_one(fd, data, bytes, position); }
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t position) { return write_one(fd, data, bytes, position); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return write_parts(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { return write_parts(fd, parts, count, at); }

/* Copies from file to file come as reads and writes: nothing else says what they write. */
ssize_t sendfile(int out, int in, off_t *from, size_t bytes) {
  if (kernel == NULL) begin();
  if (out < 0 || out >= MAX_FILES || files[out].inode == 0) return kernel(SYS_sendfile, out, in, from, bytes);
  char chunk[65536];
  size_t wanted = bytes < sizeof chunk ? bytes : sizeof chunk;
  ssize_t found = from == NULL ? read(in, chunk, wanted) : pread(in, chunk, wanted, *from);
  ssize_t done = found <= 0 ? found : write(out, chunk, (size_t)found);
  if (done > 0 && from != NULL) *from += done;
  return done;
}
ssize_t sendfile64(int out, int in, off64_t *from, size_t bytes) { return sendfile(out, in, from, bytes); }
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t bytes, unsigned flags) {
  (void)in, (void)from, (void)out, (void)to, (void)bytes, (void)flags;
  errno = ENOSYS;
  return -1;
}

static int resize(int fd, int64_t size) {
  int how = 0;
  enter();
  watched *file = file_of(fd);
  if (file != NULL) die_before(file->path, &how);
  int result = (int)kernel(SYS_ftruncate, fd, size);
  if (file != NULL && result == 0) put_file((record){RESIZE, 0, 0, file->inode, size, 0, 0}, file->path, NULL);
  if (how) die();
  leave();
  return result;
}
int ftruncate(int fd, off_t size) { return resize(fd, size); }
int ftruncate64(int fd, off64_t size) { return resize(fd, size); }

static int allocate(int fd, off64_t from, off64_t bytes) {
  struct stat now;
  int how = 0;
  enter();
  watched *file = file_of(fd);
  if (file != NULL) die_before(file->path, &how);
  int result = (int)kernel(SYS_fallocate, fd, 0, from, bytes);
  if (file != NULL && result == 0 && fstat(fd, &now) == 0) {
    put_file((record){RESIZE, 0, 0, file->inode, now.st_size, 0, 0}, file->path, NULL);
  }
  if (how) die();
  leave();
  return result;
}
int posix_fallocate(int fd, off_t from, off_t bytes) { return allocate(fd, from, bytes) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off64_t from, off64_t bytes) { return allocate(fd, from, bytes) == 0 ? 0 : errno; }

int rename(const char *from, const char *to) {
  REAL(rename);
  int how = 0;
  enter();
  int is_ours = is_watched(from) && is_watched(to);
  if (is_ours) die_before(to, &how);
  int result = real(from, to);
  if (is_ours && result == 0) put_two(RENAME, from, to);
  if (how) die();
  leave();
  return result;
}

int link(const char *from, const char *to) {
  REAL(link);
  int how = 0;
  enter();
  int is_ours = is_watched(from) && is_watched(to);
  if (is_ours) die_before(to, &how);
  int result = real(from, to);
  if (is_ours && result == 0) put_two(LINK, from, to);
  if (how) die();
  leave();
  return result;
}

int unlink(const char *path) {
  REAL(unlink);
  int how = 0;
  enter();
  int is_ours = is_watched(path);
  if (is_ours) die_before(path, &how);
  int result = real(path);
  if (is_ours && result == 0) put_path(UNLINK, path, 0);
  if (how) die();
  leave();
  return result;
}
int remove(const char *path) {
  int result = unlink(path);
  return result < 0 && (errno == EISDIR || errno == EPERM) ? rmdir(path) : result;
}
int unlinkat(int at, const char *path, int flags) {
  if (path[0] == '/' && flags == 0) return unlink(path);
  return (int)kernel(SYS_unlinkat, at, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  struct stat made;
  enter();
  int result = real(path, mode);
  if (result == 0 && is_watched(path) && stat(path, &made) == 0) put_path(MAKE_FOLDER, path, made.st_ino);
  leave();
  return result;
}

int close(int fd) {
  enter();
  if (fd >= 0 && fd < MAX_FILES) files[fd].inode = 0;
  if (fd == log_file && fd >= 0) { leave(); return 0; }
  leave();
  return (int)kernel(SYS_close, fd);
}

/* Node asks the kernel itself for what the C library may not know: to copy within the kernel, or to write behind its back. */
long syscall(long number, ...) {
  long given[6];
  va_list list;
  va_start(list, number);
  for (int index = 0; index < 6; index++) given[index] = va_arg(list, long);
  va_end(list);
  if (number == SYS_copy_file_range || number == SYS_io_uring_setup) { errno = ENOSYS; return -1; }
  if (kernel == NULL) begin();
  return kernel(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
