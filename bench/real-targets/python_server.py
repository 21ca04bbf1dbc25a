"""A small HTTP server that tells its milestones. PORT in the environment; EAGER=1 imports at once what few requests need."""
import json
import os
import time


def tell(name):
    path = os.environ.get('BOOTCUT_TIMELINE')
    if path:
        with open(path, 'a') as timeline:
            timeline.write('%s\t%s\n' % (name, json.dumps({'at': time.monotonic() * 1000})))


tell('code runs')
if os.environ.get('EAGER') == '1':
    import asyncio  # noqa: F401
    import sqlite3  # noqa: F401
    import unittest.mock  # noqa: F401
    import xml.dom.minidom  # noqa: F401

    tell('extra imports done')
from http.server import BaseHTTPRequestHandler, HTTPServer

tell('imports done')


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'ok')

    def log_message(self, *_):
        pass


server = HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler)
tell('listening')
server.serve_forever()
