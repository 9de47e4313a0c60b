import { type ComponentType, lazy, useState } from 'react';

interface Page<Props extends object> {
  /** Suspends while loading. */
  readonly Component: ComponentType<Props>;
  readonly load: () => Promise<unknown>;
}

/** Once loaded it renders synchronously, without React's Suspense delay. */
function page<Props extends object>(load: () => Promise<ComponentType<Props>>): Page<Props> {
  let loaded: ComponentType<Props> | null = null;
  const loadOnce = async (): Promise<ComponentType<Props>> => (loaded = await load());
  const Lazy = lazy(async () => ({ default: await loadOnce() }));
  return {
    load: loadOnce,
    Component: (props) => {
      const [Content] = useState<ComponentType<Props>>(() => loaded ?? Lazy);
      return <Content {...props} />;
    },
  };
}

const pages = {
  '': page(async () => (await import('../pages/servers.js')).ServersPage),
  servers: page(async () => (await import('../pages/server/server.js')).ServerArea),
  wall: page(async () => (await import('../pages/consoles.js')).ConsolesPage),
  account: page(async () => (await import('../pages/account.js')).AccountArea),
  store: page(async () => (await import('../pages/store.js')).StoreArea),
  billing: page(async () => (await import('../pages/billing.js')).BillingArea),
  staff: page(async () => (await import('../pages/staff.js')).StaffArea),
};

export const ServersPage = pages[''].Component;
export const ServerArea = pages.servers.Component;
export const ConsolesPage = pages.wall.Component;
export const AccountArea = pages.account.Component;
export const StoreArea = pages.store.Component;
export const BillingArea = pages.billing.Component;
export const StaffArea = pages.staff.Component;

/** Never fails: the page shows its error. */
export async function loadPage(pathname: string): Promise<void> {
  const area = pathname.split('/')[1] ?? '';
  if (area in pages) await pages[area as keyof typeof pages].load().catch(() => undefined);
}
