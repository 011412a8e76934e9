/*
 * The least that a program pays which reads what the collector reads: at every tick stat and statm of
 * each Chromium process, stat of every other user process, and the machine's files, all on kept
 * descriptors. It parses only what it needs to tell them apart, and that once a process.
 *
 *   floor INTERVAL_MS DURATION_S NAME     NAME: how the names of Chromium's processes begin
 *
 * At the end (SIGTERM, or the duration) one line of JSON: what it read and the CPU time it used.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 16384
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD */

/* A descriptor is -1 where nothing is read: both for kernel threads, statm outside of Chromium. */
struct process {
  int pid, stat, statm;
};

static const char *machine_files[] = {"meminfo",         "vmstat",      "stat",  "pressure/memory",
                                      "pressure/cpu", "pressure/io", "uptime"};
#define MACHINE_FILES (int)(sizeof machine_files / sizeof *machine_files)

static char buffer[65536];
static struct process tables[2][MOST_PROCESSES], *known = tables[0], *next = tables[1];
static int known_count;
static volatile sig_atomic_t stopped;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

static int open_below_proc(int pid, const char *name) {
  char path[64];
  if (pid > 0) snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  else snprintf(path, sizeof path, "/proc/%s", name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_kept(int fd) { return pread(fd, buffer, sizeof buffer - 1, 0); }

static void forget(struct process *process) {
  if (process->stat >= 0) close(process->stat);
  if (process->statm >= 0) close(process->statm);
}

/* 0 when it is gone already. The name may hold blanks and parentheses: fields count from the last. */
static int join(struct process *process, int pid, const char *name) {
  *process = (struct process){pid, open_below_proc(pid, "stat"), -1};
  ssize_t length = process->stat < 0 ? -1 : read_kept(process->stat);
  if (length > 0) {
    buffer[length] = 0;
    char *comm = strchr(buffer, '('), *end = strrchr(buffer, ')');
    unsigned flags = 0;
    if (comm && end && sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %u", &flags) == 1) {
      int is_chromium =
          !strncmp(comm + 1, name, strlen(name)) || !strncmp(comm + 1, "chrome_crashpad", 15);
      if (is_chromium) process->statm = open_below_proc(pid, "statm");
      if (flags & KERNEL_THREAD) {
        forget(process);
        process->stat = -1;
      }
      return 1;
    }
  }
  forget(process);
  return 0;
}

static int read_process(const struct process *process) {
  if (process->stat >= 0 && read_kept(process->stat) <= 0) return 0;
  return process->statm < 0 || read_kept(process->statm) > 0;
}

/* /proc lists pids ascending, so the known ones and the listed ones are walked side by side. */
static void read_processes(DIR *proc, const char *name) {
  int at = 0, count = 0;
  rewinddir(proc);
  for (struct dirent *entry; (entry = readdir(proc)) && count < MOST_PROCESSES;) {
    int pid = atoi(entry->d_name);
    if (pid <= 0) continue;
    while (at < known_count && known[at].pid < pid) forget(&known[at++]);
    if (at < known_count && known[at].pid == pid) {
      next[count] = known[at++];
      if (read_process(&next[count])) count++;
      else forget(&next[count]);
    } else if (join(&next[count], pid, name)) {
      if (next[count].statm >= 0) read_kept(next[count].statm);
      count++;
    }
  }
  while (at < known_count) forget(&known[at++]);
  struct process *before = known;
  known = next;
  next = before;
  known_count = count;
}

static void report(int ticks) {
  struct timespec cpu;
  int processes = 0, chromium = 0;
  for (int at = 0; at < known_count; at++) {
    processes += known[at].stat >= 0;
    chromium += known[at].statm >= 0;
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  printf("{\"ticks\":%d,\"processes\":%d,\"chromium\":%d,\"cpuMs\":%.3f}\n", ticks, processes,
         chromium, cpu.tv_sec * 1e3 + cpu.tv_nsec / 1e6);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: floor INTERVAL_MS DURATION_S NAME\n");
    return 2;
  }
  long interval_ns = atol(argv[1]) * 1000000L;
  long last_tick = atol(argv[2]) * 1000L / atol(argv[1]);
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);

  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  int machine[MACHINE_FILES], ticks = 0;
  for (int at = 0; at < MACHINE_FILES; at++) machine[at] = open_below_proc(0, machine_files[at]);
  DIR *proc = opendir("/proc");
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  while (!stopped && ticks < last_tick) {
    for (int at = 0; at < MACHINE_FILES; at++)
      if (machine[at] >= 0) read_kept(machine[at]);
    read_processes(proc, argv[3]);
    ticks++;
    due.tv_nsec += interval_ns;
    due.tv_sec += due.tv_nsec / 1000000000L;
    due.tv_nsec %= 1000000000L;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
  }
  report(ticks);
  return 0;
}
