import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface SmtpSink {
  readonly port: number;
  /** Headers and bodies, raw. */
  readonly mails: readonly string[];
  stop(): Promise<void>;
}

/** Accepts every mail (RFC 5321), on a free port. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    receive(socket, mails);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function receive(socket: Socket, mails: string[]): void {
  let buffered = '';
  let content: string[] | null = null;
  socket.setEncoding('utf8').write('220 sink\r\n');
  socket.on('data', (text: string) => {
    const lines = (buffered + text).split('\r\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) {
      if (content === null) {
        if (line === 'DATA') content = [];
        socket.write(line === 'DATA' ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      } else if (line === '.') {
        mails.push(content.join('\r\n'));
        content = null;
        socket.write('250 queued\r\n');
      } else content.push(line.replace(/^\.\./, '.'));
    }
  });
}
