import { readFileSync } from 'node:fs';

/**
 * A vite plugin that imports from the modules which the index of a package only passes on, and not from the index: through it
 * each page seems to need all that any page uses.
 */
export function directImports(packages) {
  const indexes = new Map();

  /** The module and its name for it, by the name that an index exports. */
  const exportsOf = (index, context) => {
    if (!indexes.has(index)) indexes.set(index, readExports(index, context));
    return indexes.get(index);
  };

  async function readExports(index, context) {
    const imported = new Map();
    const exported = new Map();
    for (const { type, source, specifiers = [] } of context.parse(readFileSync(index, 'utf8')).body) {
      const id = source ? (await context.resolve(source.value, index)).id : null;
      if (type === 'ImportDeclaration')
        for (const specifier of specifiers) imported.set(specifier.local.name, { id, name: specifier.imported?.name });
      if (type === 'ExportNamedDeclaration')
        for (const specifier of specifiers) {
          const { name } = specifier.local;
          exported.set(specifier.exported.name, id ? { id, name } : imported.get(name));
        }
      if (type === 'ExportAllDeclaration') for (const entry of await exportsOf(id, context)) exported.set(...entry);
    }
    return exported;
  }

  return {
    name: 'direct-imports',
    async transform(code, id) {
      if (!packages.some((name) => code.includes(name))) return null;
      let direct = code;
      for (const { type, source, specifiers, start, end } of this.parse(code).body.toReversed()) {
        if (type !== 'ImportDeclaration' || !packages.includes(source.value)) continue;
        const exported = await exportsOf((await this.resolve(source.value, id)).id, this);
        const lines = specifiers.map(({ imported, local }) => {
          const target = exported.get(imported?.name);
          if (!target?.name) throw new Error(`${source.value} passes on no ${local.name} for ${id}`);
          return `import { ${target.name} as ${local.name} } from ${JSON.stringify(target.id)};`;
        });
        direct = direct.slice(0, start) + lines.join('') + direct.slice(end);
      }
      return direct === code ? null : { code: direct, map: null };
    },
  };
}
