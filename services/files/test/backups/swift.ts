import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { AddressInfo } from 'node:net';

const run = promisify(execFile);
/** Debian's, for its Python packages. */
const python = '/usr/bin/python3';
const program = path.resolve(import.meta.dirname, '../../../test/backups/swift-server.py');

/** OpenStack Swift of Debian (python3-swift) with S3 API and a bucket. */
export class Swift {
  static readonly keys = { accessKey: 'panel:backups', secretKey: 'a-secret-key' };
  static readonly bucket = 'backups';
  url = '';
  /** With TLS; without it restic signs in chunks, unsupported by Swift 2.30. */
  tlsUrl = '';
  certificate = '';
  #directory = '';
  #process: ChildProcess | null = null;
  #tls: Server | null = null;

  /** Requires `openssl` for the certificate. */
  static async isInstalled(): Promise<boolean> {
    return run('openssl', ['version'])
      .then(async () => run(python, ['-c', 'import swift.common.middleware.s3api']))
      .then(
        () => true,
        () => false,
      );
  }

  async start(): Promise<void> {
    this.#directory = await mkdtemp(path.join(tmpdir(), 'panel-swift-'));
    const { accessKey, secretKey } = Swift.keys;
    const args = [program, this.#directory, accessKey.replace(':', '_'), secretKey];
    this.#process = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.#process;
    if (!stdout) throw new TypeError('no pipe');
    const [printed] = (await once(stdout, 'data', { signal: AbortSignal.timeout(30_000) })) as [Buffer];
    const port = Number(printed.toString());
    this.url = `http://127.0.0.1:${port}`;
    await this.#serveTls(port);
    await this.#client().send(new CreateBucketCommand({ Bucket: Swift.bucket }));
  }

  async stop(): Promise<void> {
    this.#tls?.close();
    this.#process?.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async keysBelow(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of paginateListObjectsV2(
      { client: this.#client() },
      { Bucket: Swift.bucket, Prefix: prefix },
    )) {
      for (const { Key } of page.Contents ?? []) keys.push(Key ?? '');
    }
    return keys;
  }

  async uploads(): Promise<string[]> {
    const { Uploads = [] } = await this.#client().send(new ListMultipartUploadsCommand({ Bucket: Swift.bucket }));
    return Uploads.map(({ Key }) => Key ?? '');
  }

  /** From the ETag; 1: no multipart. */
  async partsOf(Key: string): Promise<number> {
    const { ETag } = await this.#client().send(new HeadObjectCommand({ Bucket: Swift.bucket, Key }));
    return Number(/-(\d+)"$/.exec(ETag ?? '')?.[1] ?? 1);
  }

  async beginUpload(Key: string): Promise<void> {
    await this.#client().send(new CreateMultipartUploadCommand({ Bucket: Swift.bucket, Key }));
  }

  async put(Key: string, Body: Buffer): Promise<void> {
    await this.#client().send(new PutObjectCommand({ Bucket: Swift.bucket, Key, Body }));
  }

  async damage(prefix: string): Promise<void> {
    const client = this.#client();
    for (const Key of await this.keysBelow(prefix)) {
      const { Body: content } = await client.send(new GetObjectCommand({ Bucket: Swift.bucket, Key }));
      const bytes = Buffer.from((await content?.transformToByteArray()) ?? []);
      bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
      await this.put(Key, bytes);
    }
  }

  #client(): S3Client {
    const { accessKey: accessKeyId, secretKey: secretAccessKey } = Swift.keys;
    return new S3Client({
      endpoint: this.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }

  async #serveTls(port: number): Promise<void> {
    this.certificate = path.join(this.#directory, 'certificate.pem');
    const key = path.join(this.#directory, 'key.pem');
    const [curve, name] = ['ec_paramgen_curve:prime256v1', 'subjectAltName=IP:127.0.0.1'];
    const made = ['-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', name];
    const files = ['-keyout', key, '-out', this.certificate];
    await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', curve, ...made, ...files]);
    this.#tls = createServer({ key: await readFile(key), cert: await readFile(this.certificate) }, (socket) => {
      const behind = connect(port, '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      socket.on('error', () => behind.destroy());
      behind.on('error', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(this.#tls, 'listening');
    this.tlsUrl = `https://127.0.0.1:${(this.#tls.address() as AddressInfo).port}`;
  }
}
