export const label = {
  panel: 'panel.id',
  server: 'panel.server',
  generation: 'panel.generation',
  kind: 'panel.kind',
} as const;

type ContainerKind = 'server' | 'installer';

export function makeLabels(
  panelId: string,
  serverId: string,
  kind: ContainerKind,
  generation = 0,
): Record<string, string> {
  return {
    [label.panel]: panelId,
    [label.server]: serverId,
    [label.generation]: String(generation),
    [label.kind]: kind,
  };
}

/** Of this installation and others. */
export function labelFilter(kind: ContainerKind): string[] {
  return [label.panel, `${label.kind}=${kind}`];
}

export function installerName(serverId: string): string {
  return `${serverId}_installer`;
}

export function ownerName(serverId: string): string {
  return `${serverId}_installer_owner`;
}
