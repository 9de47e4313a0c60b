import type { PanelClient } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { collect } from '../api/pages.js';
import { newKey, useChange, useData } from '../api/use-data.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { useConfirm } from '../ui/confirm-later.js';
import { Dialog } from '../ui/dialog.js';
import { type Field, Form, type FormValues } from '../ui/form.js';
import { Empty, Loaded } from '../ui/states.js';
import { Table } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { moveEntries } from './move-entries.js';
import { joinPath } from './paths.js';

export type FileQuestion =
  | { readonly kind: 'new-file' | 'new-folder' }
  | { readonly kind: 'trash' }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'chmod'; readonly name: string; readonly mode: string }
  | { readonly kind: 'move' | 'compress'; readonly names: readonly string[] }
  | { readonly kind: 'versions'; readonly path: string };

interface QuestionProps {
  readonly question: FileQuestion;
  readonly directory: string;
  readonly onClose: () => void;
}

export function FileQuestions({ question, directory, onClose }: QuestionProps) {
  const { t } = useI18n();
  if (question.kind === 'trash') {
    return (
      <Dialog title={t('files.trash')} size="large" onClose={onClose}>
        <Trash />
      </Dialog>
    );
  }
  if (question.kind === 'versions') {
    return (
      <Dialog title={t('files.versions')} size="large" onClose={onClose}>
        <Versions path={question.path} />
      </Dialog>
    );
  }
  return <FileForm question={question} directory={directory} onClose={onClose} />;
}

type FormQuestion = Exclude<FileQuestion, { kind: 'trash' } | { kind: 'versions' }>;

function FileForm({ question, directory, onClose }: QuestionProps & { readonly question: FormQuestion }) {
  const { t } = useI18n();
  const { id } = useServer();
  const change = useChange(
    async (client, value: string) => answer(client, id, directory, question, value),
    [['files', id]],
  );
  return (
    <Dialog title={t(`files.${question.kind}`)} onClose={onClose}>
      <Form
        fields={[fieldOf(question, directory, t)]}
        action={t(`files.${question.kind}`)}
        onCancel={onClose}
        onSubmit={async ({ value }: FormValues) => change.mutateAsync(String(value).trim())}
        onDone={onClose}
      />
    </Dialog>
  );
}

function fieldOf(question: FormQuestion, directory: string, t: ReturnType<typeof useI18n>['t']): Field {
  const common = { name: 'value', isRequired: true, isWide: true };
  switch (question.kind) {
    case 'new-file':
    case 'new-folder':
      return { ...common, label: t('field.name') };
    case 'rename':
      return { ...common, label: t('field.name'), value: question.name };
    case 'chmod':
      return { ...common, label: t('files.mode'), value: question.mode, pattern: '[0-7]{3,4}' };
    case 'move':
      return { ...common, label: t('files.target'), value: directory };
    case 'compress':
      break;
  }
  return { ...common, label: t('field.name'), value: 'archive.tar.gz', hint: t('files.compress-hint') };
}

async function answer(
  client: PanelClient,
  id: string,
  root: string,
  question: FormQuestion,
  value: string,
): Promise<unknown> {
  const params = { id };
  switch (question.kind) {
    case 'new-file':
      return client.put('/servers/{id}/files/write', { params, body: { path: joinPath(root, value), content: '' } });
    case 'new-folder':
      return client.post('/servers/{id}/files/create-directory', {
        params,
        body: { path: joinPath(root, value) },
        idempotencyKey: newKey(),
      });
    case 'rename':
      return client.post('/servers/{id}/files/rename', {
        params,
        body: { root, files: [{ from: question.name, to: value }] },
      });
    case 'chmod':
      return client.post('/servers/{id}/files/chmod', {
        params,
        body: { root, files: [{ file: question.name, mode: value }] },
      });
    case 'move':
      return moveEntries(client, { serverId: id, from: root, to: value, names: question.names });
    case 'compress':
      break;
  }
  return client.post('/servers/{id}/files/compress', {
    params,
    body: { root, files: [...question.names], name: value },
    idempotencyKey: newKey(),
  });
}

function Trash() {
  const { t, bytes, relative } = useI18n();
  const { id, why } = useServer();
  const toasts = useToasts();
  const stale = [
    ['files', id],
    ['trash', id],
  ];
  const trash = useData(['trash', id], async (client) =>
    collect(client.pages('/servers/{id}/files/trash', { params: { id } })),
  );
  const restore = useChange(
    async (client, trash_id: string) =>
      client.post('/servers/{id}/files/trash/{trash-id}/restore', { params: { id, trash_id } }),
    stale,
  );
  const { confirm, dialog } = useConfirm();
  const empty = useChange(async (client) => client.delete('/servers/{id}/files/trash', { params: { id } }), stale);
  return (
    <>
      {dialog}
      <Loaded query={trash}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty text={t('files.trash-none')} />
          ) : (
            <>
              <Table
                label={t('files.trash')}
                items={entries}
                idOf={(entry) => entry.id}
                columns={[
                  { label: t('field.path'), cell: ({ path }) => <code>{path}</code>, isName: true },
                  { label: t('field.size'), cell: ({ size }) => bytes(size), isNumber: true },
                  { label: t('activity.when'), cell: ({ deleted_at }) => relative(deleted_at) },
                  { label: t('field.expires'), cell: ({ expires_at }) => relative(expires_at) },
                ]}
                actions={(entry) => (
                  <Button
                    why={why('file.create')}
                    onClick={() => restore.mutate(entry.id, { onError: toasts.showError })}
                  >
                    {t('action.restore')}
                  </Button>
                )}
              />
              <div className="actions">
                <Button
                  kind="danger"
                  why={why('file.delete')}
                  onClick={() =>
                    confirm({
                      title: t('files.trash-empty'),
                      text: t('files.trash-empty-text', { count: entries.length }),
                      action: t('files.trash-empty'),
                      onConfirm: async () => empty.mutateAsync(undefined),
                    })
                  }
                >
                  {t('files.trash-empty')}
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Versions({ path }: { readonly path: string }) {
  const { t, bytes, date } = useI18n();
  const { id, why } = useServer();
  const toasts = useToasts();
  const versions = useData(['versions', id, path], async (client) =>
    collect(client.pages('/servers/{id}/files/versions', { params: { id }, query: { path } })),
  );
  const restore = useChange(
    async (client, version_id: string) =>
      client.post('/servers/{id}/files/versions/{version-id}/restore', { params: { id, version_id } }),
    [
      ['files', id],
      ['versions', id, path],
    ],
  );
  return (
    <Loaded query={versions}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty text={t('files.versions-none')} />
        ) : (
          <Table
            label={t('files.versions')}
            items={entries}
            idOf={(entry) => entry.id}
            columns={[
              { label: t('activity.when'), cell: ({ saved_at }) => date(saved_at), isName: true },
              { label: t('field.size'), cell: ({ size }) => bytes(size), isNumber: true },
            ]}
            actions={(entry) => (
              <Button
                why={why('file.update')}
                onClick={() =>
                  restore.mutate(entry.id, {
                    onError: toasts.showError,
                    onSuccess: () => toasts.show(t('action.saved')),
                  })
                }
              >
                {t('action.restore')}
              </Button>
            )}
          />
        )
      }
    </Loaded>
  );
}
