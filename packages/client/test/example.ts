import { ApiError, createPanelClient } from '@panel/client';

export async function restartEverything(baseUrl: string, apiKey: string): Promise<void> {
  const panel = createPanelClient({ baseUrl, token: apiKey, waitOnRateLimitMs: 60_000 });

  for await (const server of panel.pages('/servers', { query: { status: 'running' } })) {
    try {
      await panel.post('/servers/{id}/power', { params: { id: server.id }, body: { action: 'restart' } });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'server_locked')) throw error;
      continue; // suspended, or something else is being done with it
    }
    const console = await panel.openConsole(server.id);
    await console.next('status', { where: ({ status }) => status === 'running', timeoutMs: 120_000 });
    console.command('say Welcome back');
    await console.close();
  }
}
