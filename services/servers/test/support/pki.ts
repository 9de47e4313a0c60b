import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for one test. */
export class TestAuthority {
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'panel-pki-'));
  readonly ca: string;

  constructor(name: string) {
    this.#newKey('ca');
    this.#openssl('req', '-x509', '-new', '-key', 'ca.key', '-days', '30', '-subj', `/CN=${name}`, '-out', 'ca.pem');
    this.ca = this.#read('ca.pem');
  }

  /** `days` 0: expired. */
  issue(name: string, use: 'serverAuth' | 'clientAuth', days = 30): KeyPair {
    this.#newKey(name);
    this.#openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    const extensions = `subjectAltName=IP:127.0.0.1\nextendedKeyUsage=${use}\n`;
    writeFileSync(path.join(this.#directory, 'extensions'), extensions);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions'];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`];
    this.#openssl('x509', '-req', ...signing, ...files, '-days', String(days));
    return { cert: this.#read(`${name}.pem`), key: this.#read(`${name}.key`) };
  }

  fileOf(name: string): string {
    return path.join(this.#directory, name);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #newKey(name: string): void {
    this.#openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
  }

  #read(file: string): string {
    return readFileSync(path.join(this.#directory, file), 'utf8');
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#directory, stdio: 'pipe' });
  }
}
