import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { AcceptConnection, AuthContext, Connection, RejectConnection, ServerChannel, Session } from 'ssh2';
import type { MonotonicClock } from '@panel/kit/async';
import type { Logger, TaskGroup } from '@panel/kit/process';
import type { FilesContext } from '../context.js';
import { parseSftpUsername } from '../domain/sftp-access.js';
import { SftpActivity, type SftpActivityDeps } from './activity.js';
import type { ChangePaces } from './change-paces.js';
import type { SftpAuthority, SftpCredentials, SftpLogin } from './authority.js';
import type { ConnectionCounts, ConnectionPlace } from './connection-limits.js';
import type { HandlePlaces } from './handle-places.js';
import { HandleTable } from './handle-table.js';
import { IdleTimer } from './idle-timer.js';
import type { SftpMetrics } from './metrics.js';
import { SftpSession } from './session.js';
import { isValidSignature } from './verify-key.js';

export interface SftpConnectionDeps {
  readonly context: FilesContext;
  readonly authority: SftpAuthority;
  readonly activity: SftpActivityDeps;
  readonly counts: ConnectionCounts;
  readonly handlePlaces: HandlePlaces;
  readonly changePaces: ChangePaces;
  readonly metrics: SftpMetrics;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  readonly recheckMs: number;
  /** Then a connection without a request ends. */
  readonly idleMs: number;
  readonly monotonicClock: MonotonicClock;
}

const methods: ('password' | 'publickey')[] = ['publickey', 'password'];
/** Per connection, like OpenSSH's MaxAuthTries. */
const maxFailures = 6;
/** Offered keys per connection; agents have many. */
const maxOffers = 20;
const signInMs = 30_000;
/** For a client to ask for SFTP, and to read why it gets none or why it ends. */
const explainMs = 10_000;
/** Parallel clients open several connections. */
const maxChannels = 8;
const maxHandles = 256;
/** Usually one per gigabyte; more cost us more than the client. */
const maxRekeys = 100;
const rekeyWindowMs = 60_000;
/** Then the connection ends. */
const maxUncheckedMs = 60_000;
/** Activity that a crash may lose. */
const saveActivityMs = 3_000;
/** Unsent responses: pause reading, or end the connection. */
const pausedAtBytes = 1024 * 1024;
const maxUnsentBytes = 64 * 1024 * 1024;
/** Unread requests: twice a channel's window, which the SSH library announces without enforcing it. */
const maxUnreadBytes = 8 * 1024 * 1024;

interface ConnectionParts {
  readonly client: Connection;
  readonly socket: Socket;
  readonly place: ConnectionPlace;
  readonly ip: string;
}

/** Ends when its rights do. */
export class SftpConnection {
  readonly #deps: SftpConnectionDeps;
  readonly #client: Connection;
  readonly #socket: Socket;
  readonly #place: ConnectionPlace;
  readonly #ip: string;
  readonly #ended = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #streams = new Set<ServerChannel>();
  #login: SftpLogin | null = null;
  /** Counted as signed in. */
  #signedIn: { readonly userId: string; readonly serverId: string } | null = null;
  #activity: SftpActivity | null = null;
  #idle: IdleTimer | null = null;
  #checkedAtMs = 0;
  #isChecking = false;
  #failures = 0;
  #offers = 0;
  /** Signed in, but above a limit of connections: why. */
  #refusal: string | null = null;
  #channels = 0;
  #rekeys = 0;

  constructor(deps: SftpConnectionDeps, { client, ip, place, socket }: ConnectionParts) {
    this.#deps = deps;
    this.#client = client;
    this.#socket = socket;
    this.#place = place;
    this.#ip = ip;
    // otherwise a malformed packet crashes the process
    client.on('error', (error: Error) => deps.log.debug({ err: error, ip }, 'an SSH connection failed'));
    client.on('authentication', (attempt: AuthContext) => {
      void this.#authenticate(attempt);
    });
    client.on('ready', () => this.#begin());
    client.on('rekey', () => this.#limitRekeys());
    client.on('session', (accept, reject) => this.#openChannel(accept, reject));
    socket.once('close', () => this.#end());
    socket.on('data', () => {
      const isFlooded = [...this.#streams].some(({ readableLength }) => readableLength > maxUnreadBytes);
      if (isFlooded || socket.writableLength > maxUnsentBytes) this.close();
    });
    const signInTimer = setTimeout(() => this.#timeOut(), signInMs);
    client.once('ready', () => clearTimeout(signInTimer));
    this.#timers.push(
      signInTimer,
      setInterval(() => (this.#rekeys = 0), rekeyWindowMs),
    );
  }

  close(): void {
    this.#client.end();
    this.#socket.destroy();
  }

  async #authenticate(attempt: AuthContext): Promise<void> {
    try {
      await this.#tryMethod(attempt);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'an SFTP sign-in could not be checked');
      attempt.reject(methods);
    }
  }

  async #tryMethod(attempt: AuthContext): Promise<void> {
    const name = parseSftpUsername(attempt.username);
    if (attempt.method === 'none') return attempt.reject(methods);
    if (!name || (attempt.method !== 'password' && attempt.method !== 'publickey')) return this.#refuse(attempt);
    if (attempt.method === 'password') {
      const { password } = attempt;
      return this.#logIn(attempt, { ...name, ip: this.#ip, proof: { kind: 'password', password } });
    }
    const { blob, hashAlgo, key, signature } = attempt;
    if (!signature || !blob) {
      this.#offers += 1;
      if (this.#offers > maxOffers) return this.close();
      const isKnown = await this.#deps.authority.isKnownKey({ ...name, ip: this.#ip, publicKey: key.data });
      return isKnown ? attempt.accept() : attempt.reject(methods);
    }
    const credentials: SftpCredentials = { ...name, ip: this.#ip, proof: { kind: 'key', publicKey: key.data } };
    if (!isValidSignature({ key: key.data, signature, signed: blob, hash: hashAlgo })) return this.#refuse(attempt);
    return this.#logIn(attempt, credentials);
  }

  async #logIn(attempt: AuthContext, credentials: SftpCredentials): Promise<void> {
    const { authority, context, counts } = this.#deps;
    const login = await authority.logIn(credentials);
    // a server on another node
    if (!login || !(await context.volumes.identify(login.access.grant.serverId))) return this.#refuse(attempt);
    if (this.#ended.signal.aborted || this.#login) return attempt.reject(methods);
    const signedIn = { userId: login.access.userId, serverId: login.access.grant.serverId };
    this.#refusal = counts.signIn(signedIn);
    if (this.#refusal !== null) {
      this.#deps.metrics.connections.inc({ result: 'limited' });
      return attempt.accept();
    }
    this.#place.hold();
    this.#login = login;
    this.#signedIn = signedIn;
    attempt.accept();
  }

  #refuse(attempt: AuthContext): void {
    this.#failures += 1;
    this.#deps.counts.recordFailure(this.#ip);
    this.#deps.metrics.connections.inc({ result: 'refused' });
    attempt.reject(methods);
    if (this.#failures >= maxFailures) this.close();
  }

  #begin(): void {
    const login = this.#login;
    if (this.#refusal !== null) {
      this.#timers.push(setTimeout(() => this.close(), explainMs));
      return;
    }
    if (!login) return this.close();
    const { activity, idleMs, metrics, monotonicClock, recheckMs } = this.#deps;
    const { grant, userId } = login.access;
    this.#activity = new SftpActivity(activity, { userId, serverId: grant.serverId, ip: this.#ip });
    this.#idle = new IdleTimer({ clock: monotonicClock, idleMs, expire: () => this.#endIdle() });
    this.#checkedAtMs = performance.now();
    metrics.connections.inc({ result: 'accepted' });
    metrics.sessions.inc();
    this.#timers.push(
      setInterval(() => void this.#recheck(), recheckMs),
      setInterval(() => void this.#activity?.save(), saveActivityMs),
    );
  }

  async #recheck(): Promise<void> {
    if (!this.#login || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const login = await this.#deps.authority.recheck(this.#login);
      if (this.#ended.signal.aborted) return;
      this.#login = login;
      this.#checkedAtMs = performance.now();
      if (!this.#login) this.close();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the rights of an SFTP connection could not be checked');
      if (performance.now() - this.#checkedAtMs > maxUncheckedMs) this.close();
    } finally {
      this.#isChecking = false;
    }
  }

  #openChannel(accept: AcceptConnection<Session>, reject: RejectConnection): void {
    if (this.#refusal !== null) return this.#explain(accept(), this.#refusal);
    if (!this.#login || this.#channels >= maxChannels) return reject();
    // the library keeps unused closed sessions: only served ones free their place
    this.#channels += 1;
    const session = accept();
    session.on('subsystem', (take: AcceptConnection<ServerChannel>, refuse: RejectConnection, { name }) => {
      if (name !== 'sftp') return refuse();
      const stream = take();
      stream.on('error', () => stream.close());
      this.#streams.add(stream);
      stream.once('close', () => {
        this.#streams.delete(stream);
        this.#channels -= 1;
      });
      this.#deps.tasks.run('serve SFTP', async () => this.#serve(stream));
    });
  }

  /** SSH has no reason for a refused sign-in; clients show what a channel writes as errors. */
  #explain(session: Session, refusal: string): void {
    session.on('subsystem', (take: AcceptConnection<ServerChannel>) => {
      const stream = take();
      stream.on('error', () => stream.close());
      stream.stderr.write(`${refusal}\n`);
      stream.exit(1);
      stream.end();
    });
  }

  async #serve(stream: ServerChannel): Promise<void> {
    const { changePaces, context, handlePlaces, log, metrics } = this.#deps;
    const activity = this.#activity;
    if (!activity || !this.#signedIn) {
      stream.close();
      return;
    }
    const { serverId, userId } = this.#signedIn;
    const session = new SftpSession({
      stream,
      log,
      drained: async () => this.#drained(),
      cork: () => this.#cork(),
      received: () => this.#idle?.touch(),
      scope: {
        context,
        activity,
        metrics,
        maxHandles,
        pace: async (cost) => changePaces.take(serverId, cost, this.#ended.signal),
        handles: new HandleTable(maxHandles, {
          enter: () => handlePlaces.enter(userId),
          leave: () => handlePlaces.leave(userId),
        }),
        access: () => {
          if (this.#login) return this.#login.access;
          throw this.#ended.signal.reason;
        },
        signal: this.#ended.signal,
      },
    });
    try {
      await session.run();
    } finally {
      if (this.#ended.signal.aborted) await activity.end();
    }
  }

  async #drained(): Promise<void> {
    while (this.#socket.writableLength > pausedAtBytes && !this.#socket.destroyed) {
      await once(this.#socket, 'drain', { signal: this.#ended.signal });
    }
  }

  /** The SSH library writes a packet in three parts, each a system call and TCP segment. */
  #cork(): void {
    this.#socket.cork();
    process.nextTick(() => this.#socket.uncork());
  }

  #limitRekeys(): void {
    this.#rekeys += 1;
    if (this.#rekeys > maxRekeys) this.close();
  }

  #timeOut(): void {
    this.#deps.metrics.connections.inc({ result: 'timed_out' });
    this.close();
  }

  /** Clients show the line as an error. */
  #endIdle(): void {
    const [stream] = this.#streams;
    stream?.stderr.write(`The connection ended after ${this.#deps.idleMs / 60_000} minutes without a request.\n`);
    this.#client.end();
    this.#timers.push(setTimeout(() => this.close(), explainMs));
  }

  #end(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#idle?.stop();
    this.#ended.abort(new Error('the SFTP connection has ended'));
    const activity = this.#activity;
    if (activity) {
      this.#deps.tasks.run('record SFTP activity', async () => activity.end());
      this.#deps.metrics.sessions.dec();
    }
    if (this.#signedIn) this.#deps.counts.signOut(this.#signedIn);
    else if (this.#offers > 0 && this.#refusal === null) this.#deps.counts.recordFailure(this.#ip);
    this.#login = null;
  }
}
