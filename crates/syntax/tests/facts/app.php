<?php
namespace App;
use A\B\C;
use A\{D, E as F};
require 'x.php';
require_once __DIR__ . '/y.php';
include($variable);
// eval($x)
Route::get('/users', [UserController::class, 'index']);
Route::resource('photos', PhotoController::class);
Route::match(['get', 'post'], '/both', f);
$app->get('/slim', function () {});
$cache->get('/x', 1);
$this->get('/x');
Cache::get('key', 1);

#[AsCommand(name: 'app:run')]
class Shown {
    #[Route('/symfony', methods: ['GET'])]
    public function action($x) {
        if ($x) { foreach ($x as $y) { } } elseif ($y) { } else { }
        eval($x);
        shell_exec('secret');
        `ls`;
        unserialize($x);
        unserialize($x, ['allowed_classes' => false]);
        $q = "SELECT * FROM t WHERE a = $x";
        $r = 'SELECT * FROM t WHERE a = ' . $x;
        $s = 'SELECT * FROM t WHERE a = ' . 'b';
        md5($x);
        $this->exec($x);
        curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);
        curl_setopt($c, CURLOPT_HEADER, false);
    }
}
interface Shape {}
function helper() {}
const LIMIT = 1;
