import { fileURLToPath } from 'node:url';

const runtime = fileURLToPath(new URL('icon.mjs', import.meta.url));

/** A vite plugin that bundles the drawings of lucide's icons without the options, names and keys around them. */
export function smallIcons() {
  return {
    name: 'small-icons',
    async load(id) {
      if (!/\/lucide-react\/dist\/esm\/icons\/[^/]+\.mjs$/.test(id)) return null;
      const { __iconData: icon } = await import(id);
      const shapes = icon.node.map(([tag, attributes, children]) => {
        if (children) throw new Error(`the icon ${icon.name} has shapes in shapes`);
        return JSON.stringify([tag, { ...attributes, key: undefined }]);
      });
      if (icon.size !== 24) throw new Error(`the icon ${icon.name} is not on a grid of 24`);
      const code = `import { iconOf } from ${JSON.stringify(runtime)};\nexport default /* @__PURE__ */ iconOf(${shapes.join()});`;
      return { code, moduleType: 'js' };
    },
  };
}
