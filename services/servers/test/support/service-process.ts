import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '@panel/testing';

const main = fileURLToPath(new URL('../../main.js', import.meta.url));

/** The real service as a process that tests can kill. */
export class ServiceProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(environment: Record<string, string>): Promise<ServiceProcess> {
    const child = fork(main, {
      env: { ...programEnvironment(), ...environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the service did not start within 60 s')), 60_000);
      child.once('message', (message: { listen: string }) => {
        clearTimeout(timer);
        resolve(message.listen);
      });
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`the service ended with ${code}`));
      });
    });
    return new ServiceProcess(child, address);
  }

  async ended(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended();
  }

  async terminate(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended();
  }
}
