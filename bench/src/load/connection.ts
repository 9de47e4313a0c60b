import { connect, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

/** A kept connection with at most one request. Bodies of responses need a Content-Length. An error ends the process. */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #missing = 0;
  #status = '';
  #isWaiting = false;
  #answered: (status: string) => void = () => undefined;

  constructor(listen: string) {
    const colon = listen.lastIndexOf(':');
    this.#socket = connect({ host: listen.slice(0, colon), port: Number(listen.slice(colon + 1)), noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => fail(error.message));
    this.#socket.on('end', () => this.#isWaiting && fail('the connection ended before a response'));
  }

  send(request: Buffer, answered: (status: string) => void): void {
    this.#answered = answered;
    this.#isWaiting = true;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#missing > 0) {
      this.#missing -= chunk.length;
      if (this.#missing <= 0) this.#end();
      return;
    }
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    if (/\r\ntransfer-encoding:/i.test(head)) return fail(`a response without Content-Length: ${head}`);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    this.#status = head.slice(9, 12);
    this.#missing = length - (this.#received.length - end - headEnd.length);
    this.#received = Buffer.alloc(0);
    if (this.#missing <= 0) this.#end();
  }

  #end(): void {
    this.#missing = 0;
    this.#isWaiting = false;
    this.#answered(this.#status);
  }
}

function fail(message: string): never {
  process.stderr.write(`load: ${message}\n`);
  process.exit(1);
}
