// The pages as an app: the worker that answers where the server does not.

const { worker } = document.documentElement.dataset;
navigator.serviceWorker?.register(worker).catch(() => {}); // a browser may forbid it; the pages do without
