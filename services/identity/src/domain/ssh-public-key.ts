import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';

/** OpenSSH format. */
export interface SshPublicKey {
  readonly algorithm: string;
  /** SHA256: and unpadded base64, as `ssh-keygen -l` prints. */
  readonly fingerprint: string;
  /** Algorithm and key, no comment. */
  readonly line: string;
  readonly comment: string;
}

const maxLength = 12_000;
const minRsaBits = 2048;
const maxRsaBits = 16_384;

/** RFC 5656, with coordinate lengths. */
const curves: Readonly<Record<string, { readonly jwk: string; readonly bytes: number }>> = {
  nistp256: { jwk: 'P-256', bytes: 32 },
  nistp384: { jwk: 'P-384', bytes: 48 },
  nistp521: { jwk: 'P-521', bytes: 66 },
};

/** One .pub line, or the problem: options, private, weak or malformed keys. */
export function parseSshPublicKey(text: string): SshPublicKey | string {
  const line = text.trim();
  if (line.length > maxLength) return `must be at most ${maxLength} characters`;
  if (/PRIVATE KEY/.test(line)) return 'is a private key: give the public one, and replace this one';
  const match = /^([a-z0-9@.-]{1,64}) +([A-Za-z0-9+/]+={0,2})(?: +([^\p{C}\r\n]*))?$/u.exec(line);
  if (!match) return 'must be one line with type and key, as in a .pub file';
  const [, algorithm = '', base64 = '', comment = ''] = match;
  const blob = Buffer.from(base64, 'base64');
  if (blob.toString('base64') !== base64) return 'is not valid base64';
  const problem = checkBlob(algorithm, blob);
  if (problem !== null) return problem;
  return { algorithm, fingerprint: sshFingerprint(blob), line: `${algorithm} ${base64}`, comment: comment.trim() };
}

/** Of the wire format (RFC 4253 §6.6). */
export function sshFingerprint(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

function checkBlob(algorithm: string, blob: Buffer): string | null {
  const fields = readFields(blob);
  if (!fields || fields[0]?.toString('latin1') !== algorithm) return 'is malformed';
  if (algorithm === 'ssh-ed25519') return checkEd25519(fields);
  if (algorithm === 'ssh-rsa') return checkRsa(fields);
  const curve = /^ecdsa-sha2-(nistp\d+)$/.exec(algorithm)?.[1];
  if (curve !== undefined && Object.hasOwn(curves, curve)) return checkEcdsa(curve, fields);
  return 'is of a type that is not supported: use ssh-ed25519, ecdsa-sha2-nistp256, -nistp384, -nistp521 or ssh-rsa';
}

/** Length-prefixed fields; null: not an exact fit. */
function readFields(blob: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length;) {
    if (at + 4 > blob.length) return null;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return null;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function checkEd25519([, key, ...more]: readonly Buffer[]): string | null {
  if (key?.length !== 32 || more.length > 0) return 'is malformed';
  return checkJwk({ kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') });
}

function checkEcdsa(name: string, [, curveName, point, ...more]: readonly Buffer[]): string | null {
  const curve = curves[name];
  if (!curve || curveName?.toString('latin1') !== name || more.length > 0) return 'is malformed';
  if (point?.length !== 1 + 2 * curve.bytes || point[0] !== 4) return 'is malformed';
  const x = point.subarray(1, 1 + curve.bytes).toString('base64url');
  const y = point.subarray(1 + curve.bytes).toString('base64url');
  return checkJwk({ kty: 'EC', crv: curve.jwk, x, y });
}

function checkRsa([, exponent, modulus, ...more]: readonly Buffer[]): string | null {
  if (!exponent || !modulus || more.length > 0 || !isPositive(exponent) || !isPositive(modulus)) return 'is malformed';
  const bits = BigInt(`0x${modulus.toString('hex')}`).toString(2).length;
  if (bits < minRsaBits || bits > maxRsaBits) return `must have ${minRsaBits} to ${maxRsaBits} bits`;
  const e = BigInt(`0x${exponent.toString('hex')}`);
  if (e < 3n || e % 2n === 0n || e > 0xffff_ffffn) return 'has an exponent that is not safe';
  return checkJwk({ kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') });
}

/** Shortest mpint (RFC 4251 §5) above zero. */
function isPositive(mpint: Buffer): boolean {
  const [first = 0, second = 0] = mpint;
  if (mpint.length === 0 || first >= 0x80) return false;
  return first !== 0 || (mpint.length > 1 && second >= 0x80);
}

/** OpenSSL checks that the point is on the curve. */
function checkJwk(key: JsonWebKey): string | null {
  try {
    createPublicKey({ key, format: 'jwk' });
    return null;
  } catch (error) {
    if (error instanceof Error) return 'is malformed';
    throw error;
  }
}
