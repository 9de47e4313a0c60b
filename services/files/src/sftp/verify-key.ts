import ssh2 from 'ssh2';

interface KeySignature {
  /** Wire format of RFC 4253. */
  readonly key: Buffer;
  readonly signature: Buffer;
  readonly signed: Buffer;
  /** RSA only; undefined: SHA-1, insecure. */
  readonly hash: string | undefined;
}

export function isValidSignature({ hash, key, signature, signed }: KeySignature): boolean {
  const algorithm = key.subarray(4, 4 + (key.length >= 4 ? key.readUInt32BE(0) : 0)).toString('latin1');
  if (algorithm === 'ssh-rsa' && hash === undefined) return false;
  const parsed = ssh2.utils.parseKey(`${algorithm} ${key.toString('base64')}`);
  if (parsed instanceof Error) return false;
  // oxlint-disable-next-line no-unnecessary-boolean-literal-compare -- it returns an Error, too, which its types do not say
  return parsed.verify(signed, signature, hash) === true;
}
