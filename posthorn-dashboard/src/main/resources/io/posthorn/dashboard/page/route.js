// Where the page is: `#/dead-letters?handler=mailer`. Everything a page shows is in the URL, so that it can be bookmarked and sent to others.

/** The current place: path segments and parameters. */
export function current() {
  return parse(location.hash);
}

export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').map(decode), params: new URLSearchParams(query) };
}

/** A link to a place. Parameters without a value are left out; the chosen outbox is kept. */
export function link(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ outbox: outbox(), ...params })) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return '#/' + path.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}

/** The page of a message: by its place, where it is found at once, and by its id if it has moved meanwhile. */
export function messageLink({ partition, seq, messageId }) {
  return link(['messages', `${partition}-${seq}`, messageId]);
}

export function go(path, params) {
  location.hash = link(path, params);
}

/** The outbox that was chosen, where there are several. */
export function outbox() {
  return current().params.get('outbox') ?? undefined;
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
