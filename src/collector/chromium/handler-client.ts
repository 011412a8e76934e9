import type { ProcFs } from '../procfs/proc-fs.ts';

/** Who started a crash handler. */
export interface HandlerClient<Candidate> {
  /** Null: none of those whose sockets could be looked at. */
  client: Candidate | null;
  /** Those whose sockets could not be. */
  unread: readonly Candidate[];
}

interface Look<Candidate> {
  count: number;
  client: Candidate | null;
}

interface Followed {
  pid: number;
  startTicks: number;
}

// Its browser may be known as one only some samples later.
const mostLooks = 10;
const clientFlag = /--initial-client-fd=(\d{1,9})/;
const socketLink = /^socket:\[(\d+)\]$/;

/**
 * Finds who started a crash handler of Chromium. The handler has its end of a pair of sockets in the
 * descriptor that `--initial-client-fd` names, and whoever started it (the browser, or the handler
 * that it watches over) keeps the other end. The kernel does not tell which two belong together, but
 * numbers both in one go (sock_alloc of net/socket.c, get_next_ino of fs/inode.c): measured, the
 * handler's number is the other's plus one. Two that match are as good as none.
 */
export class HandlerClients<Candidate extends Followed> {
  readonly #proc: ProcFs;
  readonly #looks = new WeakMap<Candidate, Look<Candidate>>();

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  find(handler: Candidate, candidates: readonly Candidate[]): HandlerClient<Candidate> {
    const look = this.#looks.get(handler) ?? { count: 0, client: null };
    // Also where it is a stranger's, whose handler asks again at every sample.
    if (look.client !== null || look.count >= mostLooks) return { client: look.client, unread: [] };
    this.#looks.set(handler, look);
    look.count++;
    const own = this.#socketOfHandler(handler.pid);
    if (own === null) return { client: null, unread: candidates };
    const looked = candidates.map(
      (candidate) => [candidate, this.#sockets(candidate.pid)] as const,
    );
    const holders = looked.filter(([, sockets]) => sockets?.includes(own - 1));
    look.client = holders.length === 1 ? (holders[0]?.[0] ?? null) : null;
    return {
      client: look.client,
      unread: looked.filter(([, sockets]) => sockets === null).map(([candidate]) => candidate),
    };
  }

  #socketOfHandler(pid: number): number | null {
    const [, descriptor] = clientFlag.exec(this.#proc.text(`${pid}/cmdline`) ?? '') ?? [];
    return descriptor === undefined ? null : this.#socket(`${pid}/fd/${descriptor}`);
  }

  /** Null where they may not be read. */
  #sockets(pid: number): (number | null)[] | null {
    const descriptors = this.#proc.entries(`${pid}/fd`);
    return descriptors?.map((descriptor) => this.#socket(`${pid}/fd/${descriptor}`)) ?? null;
  }

  #socket(name: string): number | null {
    const [, inode] = socketLink.exec(this.#proc.link(name) ?? '') ?? [];
    return inode === undefined ? null : Number(inode);
  }
}
