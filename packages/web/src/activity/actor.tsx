import type { ActivityEvent } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useAccount } from '../api/queries.js';
import { actorText } from './actor-text.js';

export function Actor({ event }: { readonly event: ActivityEvent }) {
  const i18n = useI18n();
  const account = useAccount().data;
  return <bdi>{actorText(event, account, i18n)}</bdi>;
}
