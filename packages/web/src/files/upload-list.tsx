import { RotateCw, X } from 'lucide-react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { errorText } from '../ui/states.js';
import type { Upload, UploadQueue } from './upload-queue.js';

export function UploadList({ queue, uploads }: { readonly queue: UploadQueue; readonly uploads: readonly Upload[] }) {
  const i18n = useI18n();
  const { t, bytes } = i18n;
  if (uploads.length === 0) return null;
  return (
    <ul className="queue card" aria-label={t('files.uploads')}>
      {uploads.map(({ id, name, size, sent, state, error }) => (
        <li key={id} className="row">
          <span>
            <bdi>{name}</bdi> <span className="faint">{bytes(size)}</span>
          </span>
          <progress aria-label={name} max={Math.max(1, size)} value={sent} />
          <span className="faint">{state === 'failed' ? errorText(error, i18n) : t(`files.upload-${state}`)}</span>
          {state === 'failed' ? (
            <Button kind="quiet" label={t('action.retry')} icon={<RotateCw />} onClick={() => queue.retry(id)} />
          ) : null}
          <Button kind="quiet" label={t('action.remove')} icon={<X />} onClick={() => queue.remove(id)} />
        </li>
      ))}
    </ul>
  );
}
