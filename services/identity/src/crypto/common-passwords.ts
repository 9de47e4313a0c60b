import { dictionary } from '@zxcvbn-ts/language-common';

/** About 50,000, in lower case. */
export function loadCommonPasswords(): ReadonlySet<string> {
  return new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));
}
