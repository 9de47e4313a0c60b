import type { ActivityEvent, User } from '@panel/client';
import type { I18n } from '../i18n/i18n.js';

export function actorText(
  { actor_id, actor_username }: ActivityEvent,
  account: User | undefined,
  { t }: Pick<I18n, 't'>,
): string {
  if (actor_id === null) return t('activity.panel');
  return actor_id === account?.id ? t('activity.you') : (actor_username ?? actor_id.slice(0, 8));
}
