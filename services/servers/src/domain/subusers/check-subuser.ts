import { domainToASCII } from 'node:url';
import { type FieldMessages, invalidFields, fieldProblem, type FieldProblem } from '@panel/kit/errors';
import { isOneLine } from '@panel/kit/text';
import { type ServerPermission, serverPermissions } from '@panel/protos/permissions';
import { maxPathRules, type PathRule, pathRuleProblem } from '@panel/rpc';

const known: ReadonlySet<string> = new Set(serverPermissions);
const maxEmailLength = 254;
// No characters that could forge a header or a recipient.
const emailShape = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]+$/;
const maxNameLength = 64;
const longestAccessMs = 10 * 366 * 24 * 3_600_000;

/** Collects messages by REST field. */
export class SubuserFields {
  readonly fields: FieldMessages = {};

  refuse(isWrong: boolean, field: string, problem: FieldProblem): void {
    if (isWrong) (this.fields[field] ??= []).push(problem);
  }

  /** Throws INVALID_FIELDS. */
  require(): void {
    if (Object.keys(this.fields).length > 0) throw invalidFields(this.fields);
  }

  /** Normalised as in identity. */
  email(text: string): string {
    const email = normaliseEmail(text);
    const isEmail = emailShape.test(email) && isOneLine(email) && email.length <= maxEmailLength;
    this.refuse(!isEmail, 'email', 'must be an e-mail address');
    return email;
  }

  permissions(given: readonly string[]): readonly ServerPermission[] {
    const names = given.filter((name): name is ServerPermission => known.has(name));
    this.refuse(given.length === 0, 'permissions', fieldProblem('too_short', 'must name at least one permission'));
    const unknown = given.find((name) => !known.has(name));
    const problem = fieldProblem('not_allowed', `holds what is no permission of a server: ${unknown?.slice(0, 64)}`);
    this.refuse(unknown !== undefined, 'permissions', problem);
    this.refuse(new Set(given).size < given.length, 'permissions', 'must name each permission once');
    return names;
  }

  pathRules(rules: readonly PathRule[]): void {
    this.refuse(rules.length > maxPathRules, 'path_rules', fieldProblem('too_long', `must be at most ${maxPathRules}`));
    for (const [i, { path }] of rules.slice(0, maxPathRules).entries()) {
      const problem = pathRuleProblem(path);
      this.refuse(problem !== null, `path_rules.${i}.path`, problem ?? '');
    }
  }

  expiry(expiresAt: Date | null, at: Date): void {
    if (expiresAt === null) return;
    const ms = expiresAt.getTime() - at.getTime();
    this.refuse(!(ms > 0 && ms <= longestAccessMs), 'expires_at', 'must be in the next ten years');
  }

  name(text: string): string {
    const name = text.trim();
    const isBad = name === '' || name.length > maxNameLength || !isOneLine(name);
    this.refuse(isBad, 'name', `must be one line of at most ${maxNameLength} characters`);
    return name;
  }
}

function normaliseEmail(text: string): string {
  const plain = text.normalize('NFKC').trim().toLowerCase();
  const at = plain.lastIndexOf('@');
  if (at < 0) return plain;
  const domain = plain.slice(at + 1);
  const ascii = /[^\p{ASCII}]|(?:^|\.)xn--/u.test(domain) ? domainToASCII(domain) : domain;
  return `${plain.slice(0, at)}@${ascii}`;
}
