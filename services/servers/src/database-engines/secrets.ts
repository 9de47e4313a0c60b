import { createHmac, pbkdf2Sync, createHash, randomBytes, randomInt } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const lowerCase = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** 190 bits; needs no escape. */
const passwordLength = 32;
/** PostgreSQL's default. */
const scramIterations = 4096;

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

export function createPassword(): string {
  return randomText(letters, passwordLength);
}

export function createUserSuffix(): string {
  return randomText(lowerCase, 10);
}

/** Stored verifier (RFC 5802): the host logs no password. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, scramIterations, 32, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}
