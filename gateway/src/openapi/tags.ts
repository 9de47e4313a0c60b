/** In order, with their paths. */
const chapters: readonly { readonly name: string; readonly description: string; readonly paths: RegExp }[] = [
  { name: 'Authentication', description: 'Sign in and out.', paths: /^(auth|browser)\// },
  { name: 'Account', description: 'Who you are, your keys and sessions.', paths: /^account/ },
  {
    name: 'Servers',
    description: 'Game servers: power, console, startup, addresses.',
    paths: /^servers(?!\/[^/]+\/(files|databases|backups|schedules|subusers))/,
  },
  { name: 'Files', description: 'Files of a server.', paths: /^servers\/[^/]+\/files/ },
  { name: 'Databases', description: 'Databases of a server.', paths: /^servers\/[^/]+\/databases/ },
  { name: 'Backups', description: 'Backups of a server.', paths: /^servers\/[^/]+\/backups/ },
  { name: 'Schedules', description: 'What a server does by itself.', paths: /^(servers\/[^/]+|hooks)\/schedules/ },
  { name: 'Subusers', description: 'Who else may use a server.', paths: /^servers\/[^/]+\/subusers/ },
  { name: 'Store and billing', description: 'Buying, invoices, credits.', paths: /^(store|billing)/ },
  { name: 'Admin: servers', description: 'All servers.', paths: /^admin\/servers/ },
  { name: 'Admin: users', description: 'Users, with their keys and sessions.', paths: /^admin\/users/ },
  { name: 'Admin: roles', description: 'What users may do.', paths: /^admin\/roles/ },
  { name: 'Admin: nodes', description: 'Machines and their addresses.', paths: /^admin\/nodes/ },
  { name: 'Admin: database hosts', description: 'Where databases are made.', paths: /^admin\/database-hosts/ },
  { name: 'Admin: registries', description: 'Credentials for private images.', paths: /^admin\/registries/ },
  { name: 'Admin: nests and eggs', description: 'What can be installed.', paths: /^admin\/(nests|eggs)/ },
  { name: 'Admin: billing', description: 'Products, orders, invoices, coupons.', paths: /^admin\/billing/ },
  { name: 'Admin: installation', description: 'Settings and activity.', paths: /^admin\// },
  { name: 'Documentation', description: 'This description itself.', paths: /./ },
];

export const tags = chapters.map(({ name, description }) => ({ name, description }));

export function tagOf(path: string): string {
  const relative = path.replace(/^\/api\/v1\//, '');
  return chapters.find(({ paths }) => paths.test(relative))?.name ?? 'Documentation';
}
