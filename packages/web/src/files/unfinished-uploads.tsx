import { Play, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { collect } from '../api/pages.js';
import { useChange, useData } from '../api/use-data.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { useToasts } from '../ui/toasts.js';
import { nameOf } from './paths.js';
import { forgetUpload, type UnfinishedUpload, unfinishedUploads } from './resumable-upload.js';
import type { Upload, UploadQueue } from './upload-queue.js';

interface UnfinishedUploadsProps {
  readonly queue: UploadQueue;
  readonly uploads: readonly Upload[];
}

export function UnfinishedUploads({ queue, uploads }: UnfinishedUploadsProps) {
  const { t, bytes } = useI18n();
  const { id, why } = useServer();
  const toasts = useToasts();
  const input = useRef<HTMLInputElement>(null);
  const chosen = useRef<UnfinishedUpload | null>(null);
  const [forgotten, setForgotten] = useState<ReadonlySet<string>>(new Set());
  const queued = new Set(uploads.map(({ path }) => path));
  const unfinished = unfinishedUploads(id).filter(({ path }) => !queued.has(path) && !forgotten.has(path));
  const retained = useData(
    ['uploads', id],
    async (client) => collect(client.pages('/servers/{id}/files/uploads', { params: { id } })),
    { enabled: unfinished.length > 0 },
  );
  const forget = ({ path }: UnfinishedUpload): void => {
    forgetUpload(id, path);
    setForgotten((paths) => new Set([...paths, path]));
  };
  const remove = useChange(
    async (client, upload_id: string) =>
      client.delete('/servers/{id}/files/uploads/{upload-id}', { params: { id, upload_id } }),
    [['uploads', id]],
  );
  const offsets = new Map(retained.data?.map((upload) => [upload.id, upload.offset]));
  const gone = retained.data === undefined ? [] : unfinished.filter((upload) => !offsets.has(upload.id));
  useEffect(() => {
    // Expired, finished or removed elsewhere.
    for (const { path } of gone) forgetUpload(id, path);
  });
  const shown = unfinished.filter((upload) => offsets.has(upload.id));
  if (shown.length === 0) return null;
  return (
    <ul className="queue card" aria-label={t('files.unfinished')}>
      {shown.map((upload) => (
        <li key={upload.path} className="row">
          <span>
            <bdi>{upload.path}</bdi> <span className="faint">{bytes(upload.size)}</span>
          </span>
          <progress aria-label={upload.path} max={upload.size} value={offsets.get(upload.id)} />
          <span className="faint">{t('files.unfinished-text')}</span>
          <Button
            kind="quiet"
            label={t('files.go-on')}
            icon={<Play />}
            why={why('file.update')}
            onClick={() => {
              chosen.current = upload;
              input.current?.click();
            }}
          />
          <Button
            kind="quiet"
            label={t('action.remove')}
            icon={<X />}
            onClick={() => {
              forget(upload);
              void remove.mutateAsync(upload.id).catch(toasts.showError);
            }}
          />
        </li>
      ))}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('files.go-on')}
        onChange={({ target }) => {
          const [file, upload] = [target.files?.[0], chosen.current];
          target.value = '';
          if (!file || !upload) return;
          if (file.size === upload.size && file.lastModified === upload.changedAt)
            queue.add(nameOf(upload.path), { path: upload.path, body: file });
          else toasts.show(t('files.other-file', { name: nameOf(upload.path) }), { kind: 'error' });
        }}
      />
    </ul>
  );
}
