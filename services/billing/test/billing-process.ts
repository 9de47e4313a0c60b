import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '@panel/testing';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const startMs = 60_000;

/** Separate process, to be killed. */
export class BillingProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly address: string,
  ) {}

  /** `failpoint` like "checkout.stored:kill". `program`: another service. */
  static async start(
    environment: Readonly<Record<string, string>>,
    failpoint: string,
    program = main,
  ): Promise<BillingProcess> {
    const child = fork(program, {
      env: { ...programEnvironment(), ...environment, FAILPOINT: failpoint },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('billing did not start in time')), startMs);
      child.once('message', (message: { listen: string }) => {
        clearTimeout(timer);
        resolve(message.listen);
      });
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`billing ended with ${code}`));
      });
    });
    return new BillingProcess(child, address);
  }

  /** Resolves with the terminating signal. */
  async ended(): Promise<string | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.signalCode;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended();
  }
}
