import { dictionary } from '@zxcvbn-ts/language-common';

/** About 50,000 passwords that people choose most often, in lower case. */
export function loadCommonPasswords(): ReadonlySet<string> {
  return new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));
}
