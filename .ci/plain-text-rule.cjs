/**
 * `lam/plain-text`: what goes into a plain-text prop of the launcher is a literal of ours or a `PlainText` (made by
 * `inertText` or `plain` of src/lib/render). The launcher draws such a prop as rich text as soon as a `<` or a line break
 * is in it, and loads what it names. The launcher's own types say `string`, so the type of each value is asked for here.
 */
const ts = require('typescript');

/** Props and options of `@vicinae/api` that are drawn as labels. */
const LABELS = new Set([
  'title',
  'subtitle',
  'description',
  'text',
  'tag',
  'tooltip',
  'label',
  'placeholder',
  'message',
  'name',
  'navigationTitle',
  'searchBarPlaceholder',
]);
/** Props that hold labels further in. */
const HOLDERS = new Set(['accessories', 'metadata', 'primaryAction', 'dismissAction', 'info']);
/** Functions of `@vicinae/api` whose arguments hold labels, or are one. */
const CALLS = new Set(['showToast', 'showHUD', 'confirmAlert', 'updateCommandMetadata']);

const isInert = (type, checker) => {
  if (type.isUnion()) return type.types.every((each) => isInert(each, checker));
  if (type.aliasSymbol?.name === 'PlainText') return true;
  // `string & { [inert]: true }` without its alias: the brand is a unique symbol.
  if (type.isIntersection()) {
    return type
      .getProperties()
      .some(({ escapedName }) => String(escapedName).startsWith('__@inert'));
  }
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return false;
  return (
    (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) ===
    0
  );
};

/** Labels of an object type that are not inert. `isLabel`: every string of it is one (`text={{ value, color }}`). */
function badLabels(type, checker, isLabel, node, depth = 0) {
  if (depth > 4) return [];
  if (type.isUnion())
    return type.types.flatMap((each) => badLabels(each, checker, isLabel, node, depth));
  if (checker.isArrayType(type) || checker.isTupleType(type))
    return checker
      .getTypeArguments(type)
      .flatMap((each) => badLabels(each, checker, isLabel, node, depth + 1));
  if (isLabel && !isInert(type, checker)) return ['value'];
  if ((type.flags & ts.TypeFlags.Object) === 0) return [];
  return type.getProperties().flatMap((property) => {
    const { name } = property;
    const isNamed = LABELS.has(name) || (isLabel && name === 'value');
    if (!isNamed && !HOLDERS.has(name)) return [];
    const inner = checker.getTypeOfSymbolAtLocation(property, node);
    return badLabels(inner, checker, isNamed, node, depth + 1).map(() => name);
  });
}

module.exports = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      foreign:
        '`{{name}}` is drawn as rich text if it can hold a `<`: use inertText(…) or plain`…` of lib/render.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    // Without types the rule would pass everything in silence.
    if (!services?.program) throw new Error('lam/plain-text needs type information.');
    const checker = services.program.getTypeChecker();
    /** Local names of what is imported from the launcher. */
    const imported = new Set();
    const rootOf = (name) =>
      name.type === 'JSXMemberExpression' ? rootOf(name.object) : name.name;
    /** Written-out objects, lists and choices part by part: the type of such an object has `string` for every literal. */
    const check = (node, name, isLabel) => {
      if (node.type === 'ObjectExpression') {
        for (const property of node.properties) checkProperty(property, name, isLabel);
      } else if (node.type === 'ArrayExpression') {
        for (const each of node.elements) if (each) check(each, name, isLabel);
      } else if (node.type === 'ConditionalExpression') {
        check(node.consequent, name, isLabel);
        check(node.alternate, name, isLabel);
      } else if (node.type === 'SpreadElement') check(node.argument, name, isLabel);
      else checkType(node, name, isLabel);
    };
    const checkProperty = (property, name, isLabel) => {
      if (property.type === 'SpreadElement') {
        check(property.argument, name, isLabel);
        return;
      }
      const { key, value } = property;
      // A computed name may be any.
      const inner = property.computed ? name : String(key.name ?? key.value);
      const isNamed = property.computed || LABELS.has(inner) || (isLabel && inner === 'value');
      if (isNamed || HOLDERS.has(inner)) check(value, inner, isNamed);
    };
    const checkType = (node, name, isLabel) => {
      const type = services.getTypeAtLocation(node);
      const at = services.esTreeNodeToTSNodeMap.get(node);
      for (const bad of new Set(badLabels(type, checker, isLabel, at)))
        context.report({
          node,
          messageId: 'foreign',
          data: { name: bad === 'value' ? name : bad },
        });
    };
    return {
      ImportDeclaration({ source, specifiers }) {
        if (source.value === '@vicinae/api')
          for (const { local } of specifiers) imported.add(local.name);
      },
      JSXOpeningElement({ name, attributes }) {
        const root = rootOf(name);
        // Wrappers of ours that take the launcher's props (`LoadingDetail`) count; plain components of ours have no such props.
        if (!imported.has(root) && !/^[A-Z]/.test(root ?? '')) return;
        for (const attribute of attributes) {
          if (attribute.type === 'JSXSpreadAttribute') check(attribute.argument, 'spread', false);
          else {
            const prop = String(attribute.name.name);
            const value =
              attribute.value?.type === 'JSXExpressionContainer'
                ? attribute.value.expression
                : undefined;
            if (value === undefined || value.type === 'JSXEmptyExpression') continue;
            if (LABELS.has(prop)) check(value, prop, true);
            else if (HOLDERS.has(prop)) check(value, prop, false);
          }
        }
      },
      CallExpression({ callee, arguments: args }) {
        if (callee.type !== 'Identifier' || !imported.has(callee.name) || !CALLS.has(callee.name))
          return;
        for (const arg of args) check(arg, callee.name, callee.name === 'showHUD');
      },
    };
  },
};
