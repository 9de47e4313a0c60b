import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { TLSSocket, createSecureContext } from 'node:tls';
import { certificate, privateKey } from './certificate.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** Headers and body, raw. */
  readonly source: string;
  readonly wasEncrypted: boolean;
}

/** Applies from the next command. */
export interface SmtpBehaviour {
  /** Overrides by command: "RCPT" → "550 no such user". */
  answers: Partial<Record<'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'content' | 'AUTH', string>>;
  /** Accepts connections without a reply. */
  isSilent: boolean;
  offersStartTls: boolean;
  /** Required at AUTH PLAIN. */
  login: { user: string; password: string } | null;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  readonly behaviour: SmtpBehaviour;
  connections(): number;
  stop(): Promise<void>;
}

/** Client-visible part of an SMTP server (RFC 5321, 3207, 4954), on a free port. */
export async function startSmtpServer(behaviour: Partial<SmtpBehaviour> = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const state: SmtpBehaviour = { answers: {}, isSilent: false, offersStartTls: false, login: null, ...behaviour };
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveSession(socket, state, mails, false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    behaviour: state,
    connections: () => count,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serveSession(socket: Socket, behaviour: SmtpBehaviour, mails: ReceivedMail[], isEncrypted: boolean): void {
  const session = new Session(socket, behaviour, mails, isEncrypted);
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8');
  session.begin();
}

class Session {
  readonly #socket: Socket;
  readonly #behaviour: SmtpBehaviour;
  readonly #mails: ReceivedMail[];
  readonly #isEncrypted: boolean;
  #buffered = '';
  #content: string[] | null = null;
  #from = '';
  #to = '';

  constructor(socket: Socket, behaviour: SmtpBehaviour, mails: ReceivedMail[], isEncrypted: boolean) {
    this.#socket = socket;
    this.#behaviour = behaviour;
    this.#mails = mails;
    this.#isEncrypted = isEncrypted;
  }

  begin(): void {
    if (!this.#isEncrypted) this.#say('greeting', '220 test ESMTP');
    this.#socket.on('data', this.#onData);
  }

  readonly #onData = (text: string): void => {
    this.#buffered += text;
    for (let end = this.#buffered.indexOf('\r\n'); end >= 0; end = this.#buffered.indexOf('\r\n')) {
      const line = this.#buffered.slice(0, end);
      this.#buffered = this.#buffered.slice(end + 2);
      if (this.#content) this.#takeContent(line);
      else this.#takeCommand(line);
    }
  };

  #say(command: keyof SmtpBehaviour['answers'], usual: string): void {
    if (!this.#behaviour.isSilent) this.#socket.write(`${this.#behaviour.answers[command] ?? usual}\r\n`);
  }

  #takeCommand(line: string): void {
    const verb = line.split(' ')[0]?.toUpperCase() ?? '';
    if (verb === 'EHLO') this.#say('EHLO', this.#capabilities());
    else if (verb === 'STARTTLS' && this.#behaviour.offersStartTls) this.#startTls();
    else if (verb === 'AUTH') this.#say('AUTH', this.#isLogin(line) ? '235 welcome' : '535 5.7.8 wrong password');
    else if (verb === 'MAIL') {
      this.#from = /<(.*?)>/.exec(line)?.[1] ?? '';
      this.#say('MAIL', '250 ok');
    } else if (verb === 'RCPT') {
      this.#to = /<(.*?)>/.exec(line)?.[1] ?? '';
      this.#say('RCPT', '250 ok');
    } else if (verb === 'DATA') {
      this.#say('DATA', '354 go on');
      this.#content = [];
    } else if (verb === 'QUIT') this.#socket.end('221 bye\r\n');
    else this.#socket.write('502 unknown\r\n');
  }

  #takeContent(line: string): void {
    if (line !== '.') {
      this.#content?.push(line.replace(/^\.\./, '.'));
      return;
    }
    const source = (this.#content ?? []).join('\r\n');
    this.#content = null;
    if (this.#behaviour.answers.content === undefined) {
      this.#mails.push({ from: this.#from, to: this.#to, source, wasEncrypted: this.#isEncrypted });
    }
    this.#say('content', '250 queued');
  }

  #capabilities(): string {
    const extensions = ['SIZE 1000000', '8BITMIME'];
    if (this.#behaviour.offersStartTls && !this.#isEncrypted) extensions.push('STARTTLS');
    if (this.#behaviour.login) extensions.push('AUTH PLAIN');
    return ['test', ...extensions].map((text, i, all) => `250${i === all.length - 1 ? ' ' : '-'}${text}`).join('\r\n');
  }

  #isLogin(line: string): boolean {
    const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
      .toString()
      .split('\0');
    return user === this.#behaviour.login?.user && password === this.#behaviour.login?.password;
  }

  #startTls(): void {
    this.#socket.write('220 go on\r\n');
    this.#socket.off('data', this.#onData);
    const secureContext = createSecureContext({ key: privateKey, cert: certificate });
    const encrypted = new TLSSocket(this.#socket, { isServer: true, secureContext });
    serveSession(encrypted, this.#behaviour, this.#mails, true);
  }
}
