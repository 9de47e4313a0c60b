import type { PanelClient } from '@panel/client';
import { useState } from 'react';
import { useApi } from '../../api/context.js';
import { saveBlob } from '../../ui/download.js';
import { useToasts } from '../../ui/toasts.js';

/** Saves a file of the panel under a name; its failure is shown. `saving` is the name meanwhile. */
export function useFile() {
  const api = useApi();
  const toasts = useToasts();
  const [saving, setSaving] = useState<string | null>(null);
  const save = async (name: string, read: (client: PanelClient) => Promise<Response>): Promise<void> => {
    setSaving(name);
    try {
      // The body belongs to the call: it fails with it.
      saveBlob(name, await api.call(async (client) => (await read(client)).blob()));
    } catch (error) {
      toasts.showError(error);
    } finally {
      setSaving(null);
    }
  };
  return { save, saving };
}
