import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@panel/kit/testing';

/** Sends exact bytes; never closes its side. */
export class RawConnection {
  received = '';
  /** The gateway sent FIN. */
  hasEnded = false;
  /** The gateway closed both sides. */
  isReset = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('end', () => (this.hasEnded = true));
    socket.on('error', () => (this.isReset = true));
  }

  static async open(base: string): Promise<RawConnection> {
    const { hostname, port } = new URL(base);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  write(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  /** Received so far. */
  statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  async untilStatuses(count: number): Promise<number[]> {
    await waitUntil(`${count} responses`, () => this.statuses().length >= count);
    return this.statuses();
  }

  close(): void {
    this.socket.destroy();
  }
}
