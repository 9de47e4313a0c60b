import { useMemo, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { PanelClient } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../api/context.js';
import { newKey } from '../api/use-data.js';
import { useServer } from '../server/server-context.js';
import { useToasts } from '../ui/toasts.js';
import { moveEntries } from './move-entries.js';
import { untilDone } from './operations.js';
import { joinPath } from './paths.js';
import { deletionsOf } from './pending-deletions.js';
import { useDownload } from './use-download.js';

export const maxDeleted = 100;

/** They continue across pages. */
export function useDirectoryActions(directory: string) {
  const { t } = useI18n();
  const { id } = useServer();
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const download = useDownload();
  const params = { id };
  const deletions = useMemo(() => deletionsOf(api.session, id), [api, id]);
  const hidden = useSyncExternalStore(deletions.subscribe, () => deletions.paths);

  /** True on success; shows an error. */
  const change = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      toasts.showError(error);
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: ['files', id] });
    }
  };
  const call = async (use: (client: PanelClient) => Promise<unknown>) => change(async () => api.call(use));
  const move = async (names: readonly string[], from: string, to: string) =>
    call(async (client) => moveEntries(client, { serverId: id, from, to, names }));

  return {
    isHidden: (name: string): boolean => hidden.has(joinPath(directory, name)),
    deleteLater: (names: readonly string[]): void => {
      if (names.length > maxDeleted) {
        toasts.show(t('why.limit', { limit: maxDeleted }), { kind: 'error' });
        return;
      }
      const files = names.map((name) => joinPath(directory, name));
      const show = () => deletions.remove(files);
      deletions.add(files);
      const act = async (): Promise<void> => {
        await call(async (client) => client.post('/servers/{id}/files/delete', { params, body: { files } }));
        show();
      };
      toasts.undoable(t('files.deleted', { count: names.length }), act, show);
    },
    move: async (names: readonly string[], to: string): Promise<void> => {
      if (!(await move(names, directory, to))) return;
      const back = { label: t('action.undo'), act: () => void move(names, to, directory) };
      toasts.show(t('files.moved', { count: names.length, to }), { action: back });
    },
    extract: async (name: string): Promise<void> => {
      const [body, idempotencyKey] = [{ path: joinPath(directory, name), root: directory }, newKey()];
      await change(async () => {
        const begun = await api.call(async (client) =>
          client.post('/servers/{id}/files/decompress', { params, body, idempotencyKey }),
        );
        await untilDone(api, id, begun.data);
      });
    },
    copy: async (name: string): Promise<void> => {
      const [body, idempotencyKey] = [{ path: joinPath(directory, name) }, newKey()];
      await call(async (client) => client.post('/servers/{id}/files/copy', { params, body, idempotencyKey }));
    },
    download: async (name: string): Promise<void> => download(joinPath(directory, name)),
  };
}

export type DirectoryActions = ReturnType<typeof useDirectoryActions>;
