import type { I18n } from '../i18n/i18n.js';

/** By the stable word; a newer panel may know more of them. */
export function nodeProblemText(problem: string | null, { t, maybe }: Pick<I18n, 't' | 'maybe'>): string {
  return maybe(`node-problem.${problem}`, t('node-problem.other'));
}
