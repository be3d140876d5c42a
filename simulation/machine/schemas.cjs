/** The schema compiler as the server sees it: what was compiled for one instance is used again for the next. */
const compilerOf = require('@fastify/ajv-compiler');

const compilers = new Map();

module.exports = (...options) => {
  const build = compilerOf(...options);
  return (schemas, settings) =>
    once(compilers, [schemas, settings], () => remember(build(schemas, settings)));
};

function remember(compile) {
  const validators = new Map();
  return route => once(validators, route.schema, () => compile(route));
}

function once(known, key, make) {
  const name = JSON.stringify(key);
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
}
