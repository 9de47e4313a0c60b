import { useApi } from '../api/context.js';
import { useServer } from '../server/server-context.js';
import { followDownload } from '../ui/download.js';
import { useToasts } from '../ui/toasts.js';

/** Downloads a file of the server by its path; shows an error. */
export function useDownload(): (path: string) => Promise<void> {
  const { id } = useServer();
  const api = useApi();
  const toasts = useToasts();
  return async (path) => {
    try {
      const { data } = await api.call(async (client) =>
        client.get('/servers/{id}/files/download', { params: { id }, query: { path } }),
      );
      followDownload(data.url);
    } catch (error) {
      toasts.showError(error);
    }
  };
}
